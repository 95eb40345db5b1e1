import { describe, expect, it } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { createContext } from '@/server/api/context'
import { isAppError } from '@/server/kernel/errors'
import type { ThreadId } from '@/server/kernel/ids'
import { onTestPoint } from '@/server/kernel/test-point'
import { COMMANDS, type Command, type ControlState, decide, evolve } from '@/server/threads/control/decide'
import { THREAD_STATUSES, type ThreadStatus } from '@/server/threads/status'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { createWatchHub } from '@/server/threads/watch'
import { createCaller } from '../root'

const db = await testDatabase()
const hub = createWatchHub(db)
const actor = { name: 'key:admin', origin: 'api', role: 'admin' } as const
const api = createCaller(createContext({ db, hub, embedded: false }, async () => actor)).thread
const RUNNER = 'runner-of-the-test'

type Answer = 'done' | 'requested' | 'CONFLICT' | 'NOT_FOUND'

/**
 * Each status by each command: the answer, and the status once the runner has done what it was asked to. Of a pending pause,
 * which a resume of a running thread clears, the pairs below tell.
 */
const TABLE: Record<Command, Record<ThreadStatus, readonly [Answer, ThreadStatus | 'gone']>> = {
  pause: {
    queued: ['done', 'paused'],
    running: ['requested', 'paused'],
    paused: ['done', 'paused'],
    waiting: ['done', 'paused'],
    completed: ['CONFLICT', 'completed'],
    failed: ['CONFLICT', 'failed'],
    killed: ['CONFLICT', 'killed'],
    dropped: ['CONFLICT', 'dropped'],
  },
  resume: {
    queued: ['CONFLICT', 'queued'],
    running: ['CONFLICT', 'running'],
    paused: ['done', 'queued'],
    waiting: ['CONFLICT', 'waiting'],
    completed: ['CONFLICT', 'completed'],
    failed: ['CONFLICT', 'failed'],
    killed: ['CONFLICT', 'killed'],
    dropped: ['CONFLICT', 'dropped'],
  },
  kill: {
    queued: ['done', 'killed'],
    running: ['requested', 'killed'],
    paused: ['done', 'killed'],
    waiting: ['done', 'killed'],
    completed: ['CONFLICT', 'completed'],
    failed: ['CONFLICT', 'failed'],
    killed: ['CONFLICT', 'killed'],
    dropped: ['CONFLICT', 'dropped'],
  },
  retry: {
    queued: ['CONFLICT', 'queued'],
    running: ['CONFLICT', 'running'],
    paused: ['CONFLICT', 'paused'],
    waiting: ['CONFLICT', 'waiting'],
    completed: ['CONFLICT', 'completed'],
    failed: ['done', 'queued'],
    killed: ['done', 'queued'],
    dropped: ['CONFLICT', 'dropped'],
  },
  remove: {
    queued: ['done', 'gone'],
    running: ['CONFLICT', 'running'],
    paused: ['done', 'gone'],
    waiting: ['done', 'gone'],
    completed: ['done', 'gone'],
    failed: ['done', 'gone'],
    killed: ['done', 'gone'],
    dropped: ['done', 'gone'],
  },
}

type Made = { id: ThreadId; end: (returnCode?: number) => Promise<void> }

async function threadThatIs(status: ThreadStatus): Promise<Made> {
  await db.sql`update threads set available_at = 'infinity' where status = 'queued'`
  const thread = await scriptedThread(db, { queued: status === 'queued' || status === 'dropped' })
  const { id } = thread
  if (status === 'queued' || status === 'running') return thread
  if (status === 'dropped') await db.sql`update threads set status = 'dropped', summary = 'refused' where id = ${id}`
  else if (status === 'paused') await api.control({ id, command: 'pause' }).then(() => obey(thread))
  else if (status === 'waiting') {
    await db.sql`
      select suspend_thread(${RUNNER}, id, lease_token, head || '.1', 'input', 'approve', 'Approve?', null, null, null, null, null, '{}', 'all', 0, null)
      from threads where id = ${id}`
  } else await thread.end({ completed: 0, failed: 1, killed: 137 }[status])
  return thread
}

/** What the runner that holds a thread does, once it has heard what is asked of it. */
async function obey({ id, end }: Made): Promise<void> {
  const [said] = await db.sql<{ outcome: string }[]>`
    select park_thread(${RUNNER}, id, lease_token, null) as outcome from threads where id = ${id}`
  if (said?.outcome === 'kill') await end(137)
}

async function give(id: ThreadId, command: Command): Promise<Answer> {
  try {
    if (command === 'retry') return (await api.retry({ id })).effect
    if (command === 'remove') return (await api.remove({ id })).effect
    return (await api.control({ id, command })).effect
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (isAppError(cause, 'CONFLICT')) return 'CONFLICT'
    if (isAppError(cause, 'NOT_FOUND')) return 'NOT_FOUND'
    throw error
  }
}

async function stateOf(id: string): Promise<ControlState | null> {
  const rows = await db.sql<ControlState[]>`select status, control from threads where id = ${id}`
  return rows[0] ?? null
}

describe('the table of commands, through the API', () => {
  const cells = COMMANDS.flatMap((command) => THREAD_STATUSES.map((status) => ({ command, status })))
  it.each(cells)('$command of a thread that is $status', async ({ command, status }) => {
    const thread = await threadThatIs(status)
    const before = await eventsOf(thread.id)
    const [answer, after] = TABLE[command][status]
    expect(await give(thread.id, command)).toBe(answer)
    if (answer === 'CONFLICT') expect(await eventsOf(thread.id)).toBe(before)
    await obey(thread)
    expect((await stateOf(thread.id))?.status ?? 'gone').toBe(after)
  })

  it('a conflict says what the thread is, and what to do', async () => {
    const { id } = await threadThatIs('completed')
    const error: unknown = await api.retry({ id }).catch((thrown: unknown) => thrown)
    const expected = `Thread ${id} is completed, so retry is refused. It has completed, so there is nothing to try again: fork it.`
    expect(error).toMatchObject({ code: 'CONFLICT', message: expected, cause: { data: { current: 'completed' } } })
  })
})

async function eventsOf(id: string): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from thread_events where thread = ${id}`
  return row?.n ?? 0
}

/** Where a command stands between its look at the thread and its write. */
const POINTS: Record<Command, string> = {
  pause: 'control:decided',
  resume: 'control:decided',
  kill: 'end-thread:before-write',
  retry: 'retry:before-write',
  remove: 'remove:before-write',
}

type Outcome = { first: Answer; second: Answer; state: ControlState | null }

/** What the two do one after the other, by the table. */
function inTurn(
  state: ControlState,
  commands: readonly [Command, Command],
): { answers: Answer[]; state: ControlState | null } {
  let now: ControlState | null = state
  const answers = commands.map((command): Answer => {
    if (now === null) return 'NOT_FOUND'
    const decision = decide(now, command)
    now = evolve(now, decision)
    return decision.do === 'refuse' ? 'CONFLICT' : decision.effect
  })
  return { answers, state: now }
}

function serial(state: ControlState, first: Command, second: Command): Outcome[] {
  const [one, two] = [inTurn(state, [first, second]), inTurn(state, [second, first])]
  return [
    { first: one.answers[0] ?? 'NOT_FOUND', second: one.answers[1] ?? 'NOT_FOUND', state: one.state },
    { first: two.answers[1] ?? 'NOT_FOUND', second: two.answers[0] ?? 'NOT_FOUND', state: two.state },
  ]
}

const BEGINNINGS: ControlState[] = [
  ...THREAD_STATUSES.map((status) => ({ status, control: null })),
  { status: 'running', control: 'pause' },
  { status: 'running', control: 'kill' },
]

describe('two commands at once do what they do one after the other, in one of the two orders', () => {
  it.each(BEGINNINGS)('to a thread that is $status and asked to $control', async (beginning) => {
    for (const first of COMMANDS) {
      for (const second of COMMANDS) {
        const thread = await threadThatIs(beginning.status)
        if (beginning.control !== null) await give(thread.id, beginning.control)
        // The second has looked at the thread, and stands before its write; the first comes in between.
        let between: Answer | undefined
        const off = onTestPoint(POINTS[second], async () => {
          off()
          between = await give(thread.id, first)
        })
        const answer = await give(thread.id, second)
        off()
        const outcome = {
          first: between ?? (await give(thread.id, first)),
          second: answer,
          state: await stateOf(thread.id),
        }
        expect(serial(beginning, first, second), `${first} within ${second}`).toContainEqual(outcome)
      }
    }
  })

  it('to a thread that a runner claims at the same moment', async () => {
    for (const command of COMMANDS) {
      const { id } = await threadThatIs('queued')
      let claimed = false
      const off = onTestPoint(POINTS[command], async () => {
        off()
        claimed = true
        await db.sql`select * from claim_threads(${RUNNER}, 100, 60000, false, '{}', null)`
      })
      const answer = await give(id, command)
      off()
      const before: ControlState = { status: claimed ? 'running' : 'queued', control: null }
      const expected = inTurn(before, [command, command])
      expect([command, answer]).toEqual([command, expected.answers[0]])
    }
  })
})
