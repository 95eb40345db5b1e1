import type { ContentRow, StepRow } from '@/db/queries/threads/append-steps'
import { digestOf } from '@/server/cas/hash'
import { contentNode } from '@/server/cas/nodes'
import { END, type Hash } from '@/server/kernel/ids'
import { Chain, type NextNode } from '../chain'

export const LEASE_MS = 60_000
const STARTED_AT = 1_700_000_000_000

/** What the append protocol says about one thread, held in memory. */
export type ModelThread = {
  id: string
  start: { hash: Hash; digest: Buffer }
  nodes: NextNode[]
  status: 'queued' | 'running' | 'completed'
  token: number
  steps: number
  crashes: number
  attempt: number
  runner: string | null
  expired: boolean
  events: number
  /** The rows that were appended last, for a try again whose first answer was lost. */
  last: { step: StepRow; contents: ContentRow[] } | null
}
export type Model = Map<string, ModelThread>

export function newThread(id: string, start: ModelThread['start']): ModelThread {
  return {
    id,
    start,
    nodes: [],
    status: 'queued',
    token: 0,
    steps: 0,
    crashes: 0,
    attempt: 0,
    runner: null,
    expired: false,
    events: 1,
    last: null,
  }
}

export const headOf = (thread: ModelThread): string => thread.nodes.at(-1)?.hash ?? thread.start.hash

/** The rows that append a node to this thread as it was `behind` nodes ago, under a token `tokensBehind` claims old. */
export function rowsFor(
  thread: ModelThread,
  { text, behind, tokensBehind, end }: { text: string; behind: number; tokensBehind: number; end: boolean },
): { node: NextNode; step: StepRow; contents: ContentRow[] } {
  const chain = new Chain(thread.start, STARTED_AT)
  for (const node of thread.nodes.slice(0, thread.nodes.length - behind)) {
    // A hash of a node that stateNode made.
    chain.push({ hash: node.hash, digest: node.digest, timestamp: node.timestamp })
  }
  const encoded = contentNode(text, [])
  const content = { hash: encoded.hash, digest: digestOf(encoded.body, []) }
  const role = end ? END : 'work'
  const meta = end ? { returnCode: 0, summary: text } : { text }
  const node = chain.next({ role, meta, content, childThread: null, now: STARTED_AT + 1 })
  const token = thread.token - tokensBehind
  return {
    node,
    step: {
      thread: thread.id,
      token,
      expected: chain.head,
      hash: node.hash,
      counted: !end,
      body: node.body,
      refs: node.refs,
      digest: node.digest.toString('hex'),
      role,
      start: thread.start.hash,
      content: content.hash,
      parent: node.parent,
      height: node.height,
      timestamp: node.timestamp,
      childThread: null,
      ...(end ? { end: { status: 'completed' as const, returnCode: 0, summary: text } } : {}),
    },
    contents: [
      {
        thread: thread.id,
        token,
        hash: content.hash,
        refs: [],
        digest: content.digest.toString('hex'),
        body: encoded.body,
      },
    ],
  }
}

/** What a claim takes, in order: with `sweep` what has expired, then what is queued. */
export function claimable(model: Model, capacity: number, sweep: boolean): ModelThread[] {
  const byId = [...model.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const expired = sweep ? byId.filter((thread) => thread.status === 'running' && thread.expired) : []
  return [...expired, ...byId.filter((thread) => thread.status === 'queued')].slice(0, capacity)
}
