import type { Database } from '@/db/client'
import { appendLogs } from '@/db/queries/threads/append-logs'
import { appendSteps, type StepRow } from '@/db/queries/threads/append-steps'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { startThreadRow } from '@/db/queries/threads/start-thread'
import type { JsonObject } from '@/sdk/types'
import { digestOf, hashBytes, initHash } from '@/server/cas/hash'
import { ancestorsFor, contentNode, startNode, stateNode } from '@/server/cas/nodes'
import { END, type Hash, newThreadId, type ThreadId } from '@/server/kernel/ids'
import { statusOf } from '../status'

export type ScriptedThread = {
  id: ThreadId
  /** Appends a step, or a marker when `role` is one, and resolves with its hash. */
  step(role: string, content: string, meta?: JsonObject): Promise<Hash>
  say(...lines: string[]): Promise<void>
  end(returnCode?: number): Promise<void>
}

export type ThreadScript = {
  workflow?: string
  prompt?: string
  tags?: string[]
  actor?: string
  /** Leave it in the queue. */
  queued?: boolean
}

const RUNNER = 'runner-of-the-test'

/**
 * A thread that a test moves by hand, through the engine's own statements: what they write is what a runner writes. Its
 * bundle does not exist, so it cannot run. Claims what is first in the queue: one that is `queued` must come after the others.
 */
export async function scriptedThread(db: Database, script: ThreadScript = {}): Promise<ScriptedThread> {
  await initHash()
  const id = newThreadId()
  const workflow = script.workflow ?? 'scripted'
  const bundle = hashBytes(`bundle of ${workflow}`)
  const prompt = contentNode(script.prompt ?? 'do it', [])
  const promptDigest = digestOf(prompt.body, [])
  const start = startNode({ name: workflow, bundle, depth: 0, parentState: null, prompt: prompt.hash, input: { n: 1 } })
  const startDigest = digestOf(start.body, [promptDigest])
  await startThreadRow(db, {
    id,
    workflow,
    bundle,
    prompt: { hash: prompt.hash, body: prompt.body, digest: promptDigest.toString('hex') },
    start: { hash: start.hash, body: start.body, refs: start.refs, digest: startDigest.toString('hex') },
    depth: 0,
    parentState: null,
    priority: 0,
    maxRounds: null,
    deadlineSeconds: null,
    dryRun: false,
    tags: script.tags ?? [],
    actor: script.actor ?? 'tester',
    origin: 'api',
    idempotencyKey: null,
    idempotencyDigest: null,
    excerpt: script.prompt ?? 'do it',
    parent: null,
    labels: [],
    permissions: [],
    concurrency: null,
    queueDepth: null,
    overflow: 'queue',
  })
  const claimed = script.queued
    ? []
    : await claimThreads(db, { runner: RUNNER, capacity: 1, leaseMs: 3_600_000, sweep: false })
  const token = claimed[0]?.token ?? -1
  const chain: { hash: Hash; digest: Buffer }[] = []
  let clock = claimed[0]?.now_ms ?? 0

  async function append(role: string, text: string, meta: JsonObject, counted: boolean, end?: StepRow['end']) {
    const content = contentNode(text, [])
    const contentDigest = digestOf(content.body, [])
    const height = chain.length + 1
    const ancestors = ancestorsFor(height, (at) => nodeAt(chain, at).hash)
    clock += 7
    const node = stateNode({
      role,
      meta,
      start: start.hash,
      content: content.hash,
      ancestors,
      compact: null,
      timestamp: clock,
      childThread: null,
    })
    const below = ancestors.map((_, index) => nodeAt(chain, height - 2 ** index).digest)
    const digest = digestOf(node.body, [startDigest, contentDigest, ...below])
    const refs = node.refs
    const row: StepRow = {
      thread: id,
      token,
      expected: chain.at(-1)?.hash ?? start.hash,
      hash: node.hash,
      counted,
      body: node.body,
      refs,
      digest: digest.toString('hex'),
      role,
      start: start.hash,
      content: content.hash,
      parent: ancestors[0] ?? null,
      height,
      timestamp: clock,
      childThread: null,
      ...(end === undefined ? {} : { end }),
    }
    const stored = {
      thread: id,
      token,
      hash: content.hash,
      refs: [],
      digest: contentDigest.toString('hex'),
      body: content.body,
    }
    const done = await appendSteps(db, { steps: [row], contents: [stored], runner: RUNNER, notify: true })
    if (done.length === 0) throw new Error(`the test does not hold thread ${id}`)
    chain.push({ hash: node.hash, digest })
    return node.hash
  }

  return {
    id,
    step: (role, content, meta = {}) => append(role, content, meta, !role.startsWith('__')),
    async say(...lines) {
      await appendLogs(
        db,
        lines.map((text) => ({ thread: id, token, level: 'info' as const, tag: '', text })),
      )
    },
    async end(returnCode = 0) {
      const summary = `ended with ${returnCode}`
      const status = statusOf(returnCode)
      if (status === 'dropped') throw new Error('no return code drops a thread')
      await append(END, summary, { returnCode, summary }, false, { status, returnCode, summary })
    },
  }
}

/** The node at a height of 1 or more. */
function nodeAt(chain: readonly { hash: Hash; digest: Buffer }[], height: number) {
  const node = chain[height - 1]
  if (node === undefined) throw new Error(`the chain has no height ${height}`)
  return node
}
