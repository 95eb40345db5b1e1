/** What the harness did and was answered: what the end of the run is judged by, beside the rows themselves. */
export type Ledger = {
  /** Threads that are to end killed, or as their script says if the kill came too late; `done` only killed. */
  kills: Map<string, 'done' | 'asked'>
  retried: Set<string>
  /** Threads that the overflow policy refused. */
  dropped: Set<string>
  /** Inputs by thread and name, in the order they were given. */
  given: Map<string, string[]>
  /** Inputs that were given before anything waited for them. */
  early: Map<string, string>
  counts: Record<Counted, number>
  problems: string[]
}
type Counted = 'started' | 'paused' | 'resumed' | 'killed' | 'retried' | 'forked' | 'answered' | 'stored' | 'conflicts'

export function newLedger(): Ledger {
  return {
    kills: new Map(),
    retried: new Set(),
    dropped: new Set(),
    given: new Map(),
    early: new Map(),
    counts: {
      started: 0,
      paused: 0,
      resumed: 0,
      killed: 0,
      retried: 0,
      forked: 0,
      answered: 0,
      stored: 0,
      conflicts: 0,
    },
    problems: [],
  }
}

export const inputKey = (thread: string, name: string): string => `${thread} ${name}`
