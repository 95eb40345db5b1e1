/** What a role of the model waits for, by the height of the head that it runs after: the same each time that it runs again. */
export type LifeWait =
  | { kind: 'input' }
  /** Over when the clock has been moved once after it was written. */
  | { kind: 'until'; due: boolean }
  | { kind: 'threads'; targets: string[]; mode: 'all' | 'any' | 'success' }

/** What is true of one thread, as the statements of the engine should have left it. */
export type LifeThread = {
  id: string
  workflow: 'free' | 'narrow'
  status: 'queued' | 'running' | 'paused' | 'waiting' | 'completed' | 'failed' | 'killed'
  control: 'pause' | 'kill' | null
  token: number
  head: string
  height: number
  steps: number
  crashes: number
  attempt: number
  runner: string | null
  events: number
  /** Its lease has run out, and nobody has looked yet. */
  expired: boolean
  parent: string | null
  depth: number
  children: string[]
  /** Inputs that nothing has asked for. */
  kept: number
  /** The wait of the role that runs after its head, and whether it has its answer. */
  wait: (LifeWait & { answered: boolean }) | null
}

export type Life = {
  threads: Map<string, LifeThread>
  /** At most so many threads of `narrow` run at once; null: any number. */
  narrow: number | null
  /** Ends that are left to be told: to who waits, and to children, in order. */
  wakes: Set<string>
  kills: string[]
  /** Since the clock was last moved; above 5 the bundle is in quarantine. */
  crashes: number
  quarantined: boolean
}

export const newLife = (): Life => ({
  threads: new Map(),
  narrow: null,
  wakes: new Set(),
  kills: [],
  crashes: 0,
  quarantined: false,
})

const FINISHED = new Set(['completed', 'failed', 'killed'])
export const isOver = (thread: LifeThread | undefined): boolean => thread === undefined || FINISHED.has(thread.status)

/** Somebody else than a runner may end, pause or remove it. */
export const isUnheld = (thread: LifeThread): boolean => !isOver(thread) && thread.status !== 'running'

/** Gives up a lease, as everything does that takes a thread from its runner. */
export function letGo(thread: LifeThread): void {
  Object.assign(thread, { runner: null, control: null, token: thread.token + 1, expired: false })
}

/** A node was added: the wait of the head before it is nobody's any more. */
export function moveHead(thread: LifeThread, head: string, { step }: { step: boolean }): void {
  Object.assign(thread, { head, height: thread.height + 1, steps: thread.steps + (step ? 1 : 0), wait: null })
}

/** What an end, or a removal, leaves to do for others. */
export function tellEnd(life: Life, thread: LifeThread): void {
  for (const other of life.threads.values()) {
    const { wait } = other
    if (wait?.kind === 'threads' && !wait.answered && wait.targets.includes(thread.id)) life.wakes.add(other.id)
  }
  for (const id of thread.children) if (!isOver(life.threads.get(id))) life.kills.push(id)
}

/** Answers the wait of a thread when its condition is true. */
export function resolve(life: Life, thread: LifeThread): boolean {
  const { wait } = thread
  if (wait === null || wait.answered) return false
  if (wait.kind === 'until') wait.answered = wait.due
  if (wait.kind === 'threads') {
    const ended = wait.targets.filter((id) => isOver(life.threads.get(id)))
    const succeeded = ended.some((id) => life.threads.get(id)?.status === 'completed')
    wait.answered =
      ended.length === wait.targets.length ||
      (wait.mode === 'any' && ended.length > 0) ||
      (wait.mode === 'success' && succeeded)
  }
  return wait.answered
}

/** What each claim does first: threads whose wait is over go back to the queue. */
export function wake(life: Life): void {
  for (const thread of life.threads.values()) {
    const due = thread.wait?.kind === 'until' && thread.wait.due
    if (!due && !life.wakes.has(thread.id)) continue
    if (resolve(life, thread) && thread.status === 'waiting') {
      thread.status = 'queued'
      thread.events += 1
    }
  }
  life.wakes.clear()
}

/** What a claim takes, in order: with `sweep` what has expired, then what is queued and fits the bounds. */
export function claimable(life: Life, capacity: number, sweep: boolean): LifeThread[] {
  const byId = [...life.threads.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const taken = sweep ? byId.filter((thread) => thread.expired).slice(0, capacity) : []
  const running = byId.filter((thread) => thread.workflow === 'narrow' && thread.status === 'running').length
  let room = life.narrow === null ? Number.POSITIVE_INFINITY : life.narrow - running
  for (const thread of life.quarantined ? [] : byId) {
    if (thread.status !== 'queued' || taken.length >= capacity) continue
    if (thread.workflow === 'narrow') {
      if (room <= 0) continue
      room -= 1
    }
    taken.push(thread)
  }
  return taken
}
