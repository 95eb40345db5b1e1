/** A runner that was not heard of for this many seconds, three heartbeats, is taken for dead. */
export const RUNNER_ALIVE_SECONDS = 15
