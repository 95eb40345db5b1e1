import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import {
  type AgentContext,
  ChildFailed,
  type ChildMeta,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  START,
  type ThreadOutcome,
  type ThreadsAnswer,
  WaitTimedOut,
  workflowAsAgent,
  workflowsAsAgent,
} from './index'
import { runToEnd, scriptedRuntime } from './testing'

const outcome = (n: number, status: ThreadOutcome['status'] = 'completed'): ThreadOutcome => ({
  threadId: `child-${n}`,
  workflow: `w${n}`,
  status,
  returnCode: status === 'completed' ? 0 : status === 'failed' ? 1 : null,
  summary: status === 'removed' ? null : `${n} is ${status}`,
  steps: n,
  end: status === 'completed' || status === 'failed' ? `000000000000${n}` : null,
})

/** A runtime whose n-th child is `child-n`, and whose wait for them answers so. */
const answering = (answer: Partial<ThreadsAnswer>) => {
  let started = 0
  return scriptedRuntime({
    startThread: async () => ({ threadId: `child-${++started}`, status: 'queued' }),
    wait: { threads: async () => ({ answered: true, outcomes: [], group: null, ...answer }) },
  })
}

const one = defineWorkflow({
  description: 'Leaves it to another.',
  input: z.object({ depth: z.int().default(2) }),
  roles: {
    delegate: defineRole({
      description: '',
      systemPrompt: '',
      schema: z.object({ summary: z.string(), returnCode: z.int() }),
      extractRefs: null,
    }),
  },
  table: { [START]: [{ condition: 'FALLBACK', role: 'delegate' }], delegate: [{ condition: 'FALLBACK', role: END }] },
})

describe('a workflow as agent', () => {
  it('is started with what the options say, waited for, and its end makes the step and its link', async () => {
    const runtime = answering({ outcomes: [outcome(1)], group: '0000000000001' })
    const delegate = workflowAsAgent<{ delegate: { summary: string; returnCode: number } }, { depth: number }>('w1', {
      prompt: ({ thread }) => `${thread.start.content}!`,
      input: ({ input }) => ({ depth: input.depth }),
      tags: ['child'],
    })
    const { steps, texts } = await runToEnd(createWorkflow(one, { overrides: { delegate } }), { prompt: 'go', runtime })
    expect(runtime.children).toEqual([{ workflow: 'w1', prompt: 'go!', input: { depth: 2 }, tags: ['child'] }])
    expect(runtime.waits).toEqual([{ threads: ['child-1'], mode: 'all' }])
    expect(steps).toMatchObject([{ meta: { summary: '1 is completed', returnCode: 0 }, childThread: '0000000000001' }])
    expect(texts).toEqual(['1 is completed'])
  })

  it('gets the prompt of its parent and no input by default', async () => {
    const runtime = answering({ outcomes: [outcome(1)] })
    await runToEnd(createWorkflow(one, { overrides: { delegate: workflowAsAgent('w1') } }), { prompt: 'go', runtime })
    expect(runtime.children).toEqual([{ workflow: 'w1', prompt: 'go' }])
  })

  it('that does not complete fails the role with ChildFailed, or is told in the meta', async () => {
    const failing = () => answering({ outcomes: [outcome(1, 'failed')], group: '0000000000001' })
    const strict = createWorkflow(one, { overrides: { delegate: workflowAsAgent('w1') } })
    const error = await runToEnd(strict, { runtime: failing() }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ChildFailed)
    expect(error).toMatchObject({
      message: 'The child thread child-1 of w1 is failed: 1 is failed',
      outcome: { status: 'failed' },
    })
    const lenient = createWorkflow(one, { overrides: { delegate: workflowAsAgent('w1', { onFailure: 'return' }) } })
    const { steps } = await runToEnd(lenient, { runtime: failing() })
    expect(steps).toMatchObject([{ meta: { returnCode: 1, summary: '1 is failed' }, childThread: '0000000000001' }])
  })

  it('that was removed has a return code and a summary too', async () => {
    const runtime = answering({ outcomes: [{ ...outcome(1, 'removed'), workflow: null, steps: null }] })
    const lenient = createWorkflow(one, { overrides: { delegate: workflowAsAgent('w1', { onFailure: 'return' }) } })
    const { steps } = await runToEnd(lenient, { runtime })
    expect(steps).toMatchObject([{ meta: { returnCode: 255, summary: 'The thread was removed.' }, childThread: null }])
  })

  it('that cannot be started fails the role by the name of why', async () => {
    const run = createWorkflow(one, { overrides: { delegate: workflowAsAgent('w1', { onFailure: 'return' }) } })
    await expect(runToEnd(run, { runtime: scriptedRuntime() })).rejects.toMatchObject({ name: 'NOT_FOUND' })
  })

  it('that does not end in time fails the role with WaitTimedOut', async () => {
    const run = createWorkflow(one, { overrides: { delegate: workflowAsAgent('w1', { timeoutSeconds: 9 }) } })
    await expect(runToEnd(run, { runtime: answering({ answered: false }) })).rejects.toBeInstanceOf(WaitTimedOut)
  })

  it('is checked by the compiler against the meta of its role, and its options see the input', () => {
    expectTypeOf(workflowAsAgent('w1')).returns.resolves.extract<{ output: string }>().toHaveProperty('meta')
    const role = defineRole({
      description: '',
      systemPrompt: '',
      schema: z.object({ score: z.int() }),
      extractRefs: null,
    })
    const scored = { ...one, roles: { delegate: role } }
    // @ts-expect-error a child has no score
    createWorkflow(scored, { overrides: { delegate: workflowAsAgent('w1') } })
    createWorkflow(one, {
      overrides: {
        delegate: workflowAsAgent('w1', {
          input: ({ input }) => {
            expectTypeOf(input).toEqualTypeOf<{ depth: number }>()
            return input.depth
          },
        }),
      },
    })
  })
})

const many = defineWorkflow({
  description: 'Leaves it to three others.',
  roles: {
    spread: defineRole({
      description: '',
      systemPrompt: '',
      schema: z.object({ threads: z.array(z.object({ workflow: z.string(), status: z.string() })) }),
      extractRefs: null,
    }),
  },
  table: { [START]: [{ condition: 'FALLBACK', role: 'spread' }], spread: [{ condition: 'FALLBACK', role: END }] },
})

describe('several workflows as one agent', () => {
  const children = [{ workflow: 'w1' }, { workflow: 'w2', prompt: () => 'other' }, { workflow: 'w3' }]
  const spread = (options?: Parameters<typeof workflowsAsAgent>[1]) =>
    createWorkflow(many, { overrides: { spread: workflowsAsAgent(children, options) } })

  it('are started in order, waited for together, and the step links to their group', async () => {
    const runtime = answering({ outcomes: [1, 2, 3].map((n) => outcome(n)), group: '0000000000009' })
    const { steps, texts } = await runToEnd(spread(), { prompt: 'go', runtime })
    expect(runtime.children.map(({ workflow, prompt }) => `${workflow} ${prompt}`)).toEqual([
      'w1 go',
      'w2 other',
      'w3 go',
    ])
    expect(runtime.waits).toEqual([{ threads: ['child-1', 'child-2', 'child-3'], mode: 'all' }])
    expect(steps[0]?.childThread).toBe('0000000000009')
    expect(steps[0]?.meta.threads).toHaveLength(3)
    expect(texts).toEqual(['w1: 1 is completed\nw2: 2 is completed\nw3: 3 is completed'])
  })

  it.each([
    ['all', ['completed', 'failed', 'completed'], false],
    ['all', ['completed', 'completed', 'completed'], true],
    ['any', ['failed'], false],
    ['any', ['completed'], true],
    ['success', ['failed', 'completed'], true],
    ['success', ['failed', 'killed', 'failed'], false],
  ] as const)('with mode %s and outcomes %j, that the role goes well is %s', async (mode, statuses, good) => {
    const outcomes = statuses.map((status, index) => outcome(index + 1, status))
    const result = await runToEnd(spread({ mode }), { runtime: answering({ outcomes }) }).catch((e: unknown) => e)
    if (good) expect(result).toMatchObject({ completion: { returnCode: 0 } })
    else expect(result).toMatchObject({ name: 'ChildFailed', outcomes })
    const told = await runToEnd(spread({ mode, onFailure: 'return' }), { runtime: answering({ outcomes }) })
    expect(told.steps[0]?.meta.threads).toHaveLength(outcomes.length)
  })

  it('has a meta of its own type', () => {
    type Result = Awaited<ReturnType<ReturnType<typeof workflowsAsAgent>>>
    expectTypeOf<Extract<Result, object>['meta']>().toEqualTypeOf<{ threads: ChildMeta[] } | undefined>()
    expectTypeOf<AgentContext['currentRole']['schema']>().toEqualTypeOf<z.ZodType>()
  })
})
