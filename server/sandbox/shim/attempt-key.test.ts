import { beforeAll, expect, test } from 'vitest'
import type { Runtime } from '@/sdk/types'
import { initHash } from '@/server/cas/hash'
import { createRun } from './run'

beforeAll(initHash)

/** The key that a role gets in a run of this thread after this head. */
async function keyOf(threadId: string, head: string): Promise<string> {
  const thread = {
    threadId,
    depth: 0,
    bundleHash: '0000000000000',
    start: { content: '', input: null, timestamp: 1, parentState: null },
    steps: [],
  }
  let key = ''
  async function* workflow(_thread: unknown, runtime: Runtime) {
    yield* []
    key = runtime.attemptKey('pay')
    return { returnCode: 0, summary: '' }
  }
  const run = createRun(
    { type: 'run', run: 'a'.repeat(22), thread, head, start: '0', dryRun: false },
    workflow,
    () => undefined,
  )
  await run.finished
  return key
}

test('the key of a role is equal when it runs again, and another one after another step and in another thread', async () => {
  const key = await keyOf('01J00000000000000000000000', '0')
  expect(await keyOf('01J00000000000000000000000', '0')).toBe(key)
  expect(await keyOf('01J00000000000000000000000', '1')).not.toBe(key)
  // Threads of one start have the same head until their first step.
  expect(await keyOf('01J00000000000000000000001', '0')).not.toBe(key)
})
