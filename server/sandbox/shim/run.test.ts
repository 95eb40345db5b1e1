import { expect, test } from 'vitest'
import type { RoleOutput, Runtime, WorkflowFn } from '@/sdk/types'
import { initHash } from '@/server/cas/hash'
import { callArgs, type FromWorker } from '../protocol'
import { createRun, type Run } from './run'

const RUN = 'a'.repeat(22)
const step: RoleOutput = { role: 'one', contentHash: '0000000000000', meta: {}, refs: [], childThread: null }

/** A run of `workflow` whose messages are kept; `next` resolves with the next one of a type. */
async function startRun(workflow: WorkflowFn) {
  await initHash()
  const sent: FromWorker[] = []
  let look: () => void = () => undefined
  const thread = {
    threadId: '01J00000000000000000000000',
    depth: 0,
    bundleHash: '0000000000000',
    start: { content: '', input: null, timestamp: 1, parentState: null },
    steps: [],
  }
  const message = { type: 'run' as const, run: RUN, thread, head: '0', start: '0', dryRun: false }
  const run: Run = createRun(message, workflow, (one) => {
    sent.push(one)
    look()
  })
  const next = <T extends FromWorker['type']>(type: T) =>
    new Promise<Extract<FromWorker, { type: T }>>((resolve) => {
      look = () => {
        const found = sent.find((one): one is Extract<FromWorker, { type: T }> => one.type === type)
        if (found) resolve(found)
      }
      look()
    })
  return { run, sent, next }
}

/** One role that does `work`, then yields. */
const roleThat = (work: (runtime: Runtime) => Promise<unknown>): WorkflowFn =>
  async function* (_thread, runtime) {
    await work(runtime)
    yield step
    return { returnCode: 0, summary: '' }
  }

test('a run that is suspended while it waits is over: its signal aborts, its promise stays pending, and nothing more is sent', async () => {
  const after: string[] = []
  let aborted: unknown
  let own: Runtime | undefined
  const { run, sent, next } = await startRun(
    roleThat(async (runtime) => {
      own = runtime
      runtime.signal.addEventListener('abort', () => {
        aborted = runtime.signal.reason
      })
      const settled = (how: string) => () => void after.push(how)
      await runtime.wait({ until: Date.UTC(2090, 0) }).then(settled('resolved'), settled('rejected'))
    }),
  )
  expect(await next('call')).toMatchObject({ method: 'wait', args: { kind: 'until', untilMs: Date.UTC(2090, 0) } })
  run.receive({ type: 'suspended', run: RUN })
  await run.finished
  run.receive({ type: 'reply', run: RUN, id: 1, value: null })
  own?.log('still here')
  void own?.cas.get('0000000000000').then(
    () => after.push('called'),
    () => after.push('refused'),
  )
  await new Promise(setImmediate)
  expect(aborted).toMatchObject({ name: 'Suspended' })
  expect(after).toEqual([])
  expect(sent).toHaveLength(1)
})

test('a generator that goes on after it was suspended can neither record a step nor end its thread', async () => {
  let goOn: () => void = () => undefined
  let past = false
  const { run, sent, next } = await startRun(
    roleThat(async (runtime) => {
      const unrelated = new Promise<void>((resolve) => {
        goOn = resolve
      })
      await Promise.race([runtime.wait({ until: Date.UTC(2090, 0) }), unrelated])
      past = true
    }),
  )
  await next('call')
  run.receive({ type: 'suspended', run: RUN })
  await run.finished
  goOn()
  await new Promise(setImmediate)
  expect(past).toBe(true)
  expect(sent.map(({ type }) => type)).toEqual(['call'])
})

test('a run that is suspended at its yield, for a pause, ends there', async () => {
  let resumed = false
  const { run, sent, next } = await startRun(async function* () {
    yield step
    resumed = true
    return { returnCode: 0, summary: '' }
  })
  await next('append')
  run.receive({ type: 'suspended', run: RUN })
  await run.finished
  run.receive({ type: 'appended', run: RUN, head: '1', timestamp: 1 })
  await new Promise(setImmediate)
  expect(resumed).toBe(false)
  expect(sent).toHaveLength(1)
})

test.each([
  [
    'an input',
    (runtime: Runtime) =>
      runtime.wait({ input: { type: 'object' }, prompt: 'Go?', subject: '0000000000000', timeoutSeconds: 1.5 }),
    { kind: 'input', name: 'input', prompt: 'Go?', subject: '0000000000000', timeoutMs: 1500, targets: [] },
  ],
  [
    'a time',
    (runtime: Runtime) => runtime.wait({ until: new Date(5_000) }),
    { kind: 'until', untilMs: 5_000, prompt: null, schema: null },
  ],
  [
    'one thread',
    (runtime: Runtime) => runtime.wait({ thread: '01J00000000000000000000000' }),
    { kind: 'threads', targets: ['01J00000000000000000000000'], mode: 'all', timeoutMs: null },
  ],
])('what a wait for %s says is what the runner reads, with the rest filled in', async (_what, wait, expected) => {
  const { next } = await startRun(roleThat(wait))
  const { args } = await next('call')
  expect(callArgs.wait.parse(JSON.parse(JSON.stringify(args)))).toMatchObject(expected)
})

test.each([
  ['until', { until: new Date('never') }, /valid Date/],
  ['timeoutSeconds', { thread: '01J00000000000000000000000', timeoutSeconds: Number.NaN }, /number of seconds/],
])('a wait whose %s makes no sense is an error in the role', async (_what, request, message) => {
  const { next } = await startRun(roleThat((runtime) => runtime.wait(request as { until: Date })))
  expect((await next('failed')).error.message).toMatch(message)
})

test('a child is asked for with what its options say, and a refusal is an error of that name', async () => {
  const caught: unknown[] = []
  const { run, next } = await startRun(
    roleThat((runtime) => runtime.startThread({ workflow: 'child', prompt: 'p' }).catch((e) => caught.push(e))),
  )
  const call = await next('call')
  expect(callArgs['thread.start'].parse(JSON.parse(JSON.stringify(call.args)))).toEqual({
    workflow: 'child',
    prompt: 'p',
  })
  run.receive({ type: 'refused', run: RUN, id: call.id, error: { name: 'DROPPED', message: 'full' } })
  await next('append')
  expect(caught).toMatchObject([{ name: 'DROPPED', message: 'full' }])
})
