/**
 * What the exit codes of `cairn` mean. `run --wait`, `run --watch` and `thread live` end with the thread's return code
 * instead, once there is one.
 */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  conflict: 5,
  notAllowed: 6,
  /** 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

export const EXIT_CODES_HELP = `
Exit codes:
  0  done                      4  no such thing
  1  failed                    5  conflict: the thing is not in the state the command needs
  2  wrong usage or bad input  6  not allowed: key missing or wrong, permission not granted
  3  server not reachable      130  interrupted
run --wait, run --watch and thread live end with the thread's own return code.`

/** A thread's return code as a process can exit with it: 0 stays 0, and what does not fit into a byte becomes 1. */
export function processExitCode(returnCode: number): number {
  return Number.isInteger(returnCode) && returnCode >= 0 && returnCode <= 255 ? returnCode : EXIT_CODES.failed
}
