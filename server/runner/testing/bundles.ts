import type { Database } from '@/db/client'
import { bundles, registryEvents, workflows } from '@/db/schema/registry'
import { digestOf, hashBytes, initHash } from '@/server/cas/hash'
import type { Grants } from '@/server/registry/views'
import type { Limits } from '@/server/threads/limits'
import { startThread } from '@/server/threads/start'

type Options = { limits?: Partial<Limits>; grants?: Grants }

/** Makes a bundle the current one of a workflow without the registry's checks, so that hostile code gets to run; its events say so. */
export async function installBundle(
  db: Database,
  name: string,
  source: string,
  options: Options = {},
): Promise<string> {
  await initHash()
  const hash = hashBytes(source)
  const row = { hash, source, digest: digestOf(source, []), descriptor: {}, size: Buffer.byteLength(source) }
  await db.orm.insert(bundles).values(row).onConflictDoNothing()
  const { limits = {}, grants = { exec: [] } } = options
  const told = (type: 'added' | 'granted' | 'limited', data: object) => ({
    workflow: name,
    type,
    after: hash,
    actor: 'test',
    data,
  })
  const events = [told('added', {}), told('granted', { grants }), told('limited', { limits })]
  const seqs = await db.orm.insert(registryEvents).values(events).returning({ seq: registryEvents.seq })
  const version = Math.max(...seqs.map(({ seq }) => seq))
  await db.orm.insert(workflows).values({ name, current: hash, version, limits, grants })
  return hash
}

/** A bundle whose `run` is the given body of an async generator, with `thread`, `runtime` and `say(n, text)` in scope. */
export function bundleOf(body: string, top = ''): string {
  return `${top}
export const descriptor = {}
export async function* run(thread, runtime) {
  const say = async (n, text = 'step ' + n) =>
    ({ role: 'work', contentHash: await runtime.cas.put(text), meta: { n }, refs: [], childThread: null })
${body}
}
`
}

/** Appends steps 1 … input.steps, each after `input.ms` milliseconds. */
export const COUNTER = bundleOf(`
  for (let n = thread.steps.length + 1; n <= thread.start.input.steps; n++) {
    await new Promise((resolve) => setTimeout(resolve, thread.start.input.ms))
    yield await say(n, 'step ' + n + ' of ' + thread.threadId)
  }
  return { returnCode: 0, summary: 'counted' }`)

/** The same, and each step first writes its number to the end of the file input.witness. */
export const WITNESS = bundleOf(`
  for (let n = thread.steps.length + 1; n <= thread.start.input.steps; n++) {
    await runtime.exec('tee', ['-a', thread.start.input.witness], { stdin: n + '\\n' })
    yield await say(n, 'step ' + n + ' of ' + thread.threadId)
  }
  return { returnCode: 0, summary: 'counted' }`)

const ACTOR = { name: 'test', origin: 'api', role: 'owner' } as const

export async function begin(
  db: Database,
  workflow: string,
  input: Parameters<typeof startThread>[1]['input'] = {},
  more: { deadlineSeconds?: number; maxRounds?: number } = {},
): Promise<string> {
  const { id } = await startThread(db, { workflow, prompt: 'go', input, maxRounds: 1_000, ...more }, ACTOR)
  return id
}
