import type { Database } from '@/db/client'
import { type Script, scriptSchema } from '../script'

export type StepNode = {
  hash: string
  parent: string | null
  start: string
  role: string
  meta: { n: number; key: string; got: unknown }
  /** Appended by this thread itself, and not in history that a fork shares. */
  own: boolean
}

export type JudgedThread = {
  id: string
  workflow: string
  status: string
  steps: number
  returnCode: number | null
  summary: string | null
  start: string
  parentThread: string | null
  sourceThread: string | null
  script: Script
  /** In order. */
  nodes: StepNode[]
  /** How many events of each type it has. */
  events: ReadonlyMap<string, number>
  /** Of the last time that it was killed. */
  killReason: string | null
}

type Row = Omit<JudgedThread, 'script' | 'nodes' | 'events'> & { body: string }
type NodeRow = Omit<StepNode, 'meta' | 'own'> & { thread: string; body: string; markers: number }

/** Everything that the run left in the database, by thread. */
export async function readThreads(db: Database): Promise<Map<string, JudgedThread>> {
  const rows = await db.sql<Row[]>`
    select t.id, t.workflow, t.status, t.steps, t.return_code as "returnCode", t.summary, t.start,
      t.parent_thread as "parentThread", t.source_thread as "sourceThread", s.body,
      (select e.reason from thread_events e where e.thread = t.id and e.type = 'killed' order by e.seq desc limit 1) as "killReason"
    from threads t join start_nodes s on s.hash = t.start order by t.id`
  const nodes = await db.sql<NodeRow[]>`
    with recursive chain as (
      select t.id as thread, s.hash, s.parent, s.start, s.role, s.body, s.height, (s.role = '__fork__')::int as markers
        from threads t join state_nodes s on s.hash = t.head
      union all
      select c.thread, s.hash, s.parent, s.start, s.role, s.body, s.height, c.markers + (s.role = '__fork__')::int
        from chain c join state_nodes s on s.hash = c.parent
    ) select thread, hash, parent, start, role, body, markers from chain where role not like '\\_\\_%' order by thread, height`
  const events = await db.sql<{ thread: string; type: string; n: number }[]>`
    select thread, type, count(*)::int as n from thread_events group by thread, type`
  const threads = new Map<string, JudgedThread>()
  for (const { body, ...row } of rows) {
    const script = scriptSchema.parse(JSON.parse(body).payload.input)
    const own = new Map(events.filter((event) => event.thread === row.id).map((event) => [event.type, event.n]))
    threads.set(row.id, { ...row, script, nodes: [], events: own })
  }
  for (const { thread, body, markers, ...node } of nodes) {
    threads.get(thread)?.nodes.push({ ...node, meta: JSON.parse(body).payload.meta, own: markers === 0 })
  }
  return threads
}

export const eventsOf = (thread: JudgedThread, ...types: string[]): number =>
  types.reduce((sum, type) => sum + (thread.events.get(type) ?? 0), 0)
