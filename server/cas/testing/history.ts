import { randomBytes } from 'node:crypto'
import type { Queryable } from '@/db/client'
import { bundles } from '@/db/schema/registry'
import { threads } from '@/db/schema/threads'
import { END, type Hash, newThreadId, type ThreadId } from '@/server/kernel/ids'
import { statusOf } from '@/server/threads/status'
import { digestOf, hashBytes, initHash } from '../hash'
import { ancestorsFor, type Node, refsOf, type StartPayload, type StatePayload } from '../nodes'
import { putContent, putNode } from '../put'

/** A thread written node by node through `putNode`, without an engine. `chain[i]` is the node at height `i + 1`. */
export type History = {
  id: ThreadId
  bundle: Hash
  prompt: Hash
  start: Hash
  contents: Hash[]
  chain: Hash[]
  head: Hash
}

type Options = {
  steps: number
  /** With an end node; default true. */
  ended?: boolean
  prompt?: string
  /** The text of a step, from 1. */
  text?: (step: number) => string
  /** Makes it a child, called at this node. */
  caller?: { thread: ThreadId; state: Hash; depth: number }
  /** Artifacts that the content of every step names. */
  artifacts?: Hash[]
  /** Child ends by step. */
  children?: Map<number, Hash>
}

const EPOCH = 1_700_000_000_000

export async function writeHistory(db: Queryable, options: Options): Promise<History> {
  await initHash()
  const bundle = await writeBundle(db, 'export const run = 1')
  const prompt = await putContent(db, options.prompt ?? 'do it', [])
  const payload: StartPayload = {
    name: 'hello',
    hash: bundle,
    depth: options.caller?.depth ?? 0,
    parentState: options.caller?.state ?? null,
  }
  const start = await putNode(db, { type: 'start', payload, refs: refsOf({ type: 'start', payload }, [prompt]) })
  const history: History = { id: newThreadId(), bundle, prompt, start, contents: [], chain: [], head: start }
  const text = options.text ?? ((step) => `step ${step} of ${randomBytes(4).toString('hex')}`)
  for (let step = 1; step <= options.steps; step++) {
    const content = await putContent(db, text(step), options.artifacts ?? [])
    await extend(db, history, { role: 'worker', content, childThread: options.children?.get(step) ?? null })
  }
  if (options.ended !== false) {
    await extend(db, history, { role: END, content: prompt, meta: { returnCode: 0, summary: 'done' } })
  }
  await writeThread(db, history, options)
  return history
}

/** Appends one node to the chain in memory and in the store; the thread's row is not touched. */
export async function extend(
  db: Queryable,
  history: History,
  state: Partial<StatePayload> & { content: Hash },
): Promise<Hash> {
  const height = history.chain.length + 1
  const payload: StatePayload = {
    role: 'worker',
    meta: { step: height },
    start: history.start,
    ancestors: ancestorsFor(height, (at) => history.chain[at - 1] ?? history.start),
    compact: null,
    timestamp: EPOCH + height * 1_000,
    childThread: null,
    ...state,
  }
  const node: Node = { type: 'state', payload, refs: refsOf({ type: 'state', payload }, []) }
  const hash = await putNode(db, node)
  history.chain.push(hash)
  history.contents.push(state.content)
  history.head = hash
  return hash
}

async function writeThread(db: Queryable, history: History, options: Options): Promise<void> {
  const ended = options.ended !== false
  await db.orm.insert(threads).values({
    id: history.id,
    workflow: 'hello',
    bundle: history.bundle,
    status: ended ? statusOf(0) : 'running',
    start: history.start,
    head: history.head,
    height: history.chain.length,
    steps: options.steps,
    depth: options.caller?.depth ?? 0,
    parentThread: options.caller?.thread ?? null,
    actor: 'test',
    origin: 'api',
    excerpt: 'do it',
    returnCode: ended ? 0 : null,
  })
}

async function writeBundle(db: Queryable, source: string): Promise<Hash> {
  const hash = hashBytes(source)
  const size = Buffer.byteLength(source)
  await db.orm
    .insert(bundles)
    .values({ hash, source, digest: digestOf(source, []), descriptor: {}, size })
    .onConflictDoNothing()
  return hash
}
