import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  buildDescriptor,
  createWorkflow,
  DefinitionError,
  defineRole,
  defineWorkflow,
  END,
  ExtractionError,
  echoAgent,
  InputError,
  RoutingError,
  START,
} from './index'
import { runToEnd, scriptedRuntime } from './testing'

const text = defineRole({
  description: 'Says something.',
  systemPrompt: 'Say something.',
  schema: z.object({ mood: z.enum(['good', 'bad']), score: z.number().optional() }),
  extractRefs: null,
})

/** plan → (code → review)* → end, going back to code while the review is bad. */
const definition = defineWorkflow({
  description: 'Plans, codes and reviews.',
  roles: { plan: text, code: text, review: text },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'plan' }],
    plan: [{ condition: 'FALLBACK', role: 'code' }],
    code: [{ condition: 'FALLBACK', role: 'review' }],
    review: [
      {
        condition: {
          name: 'rejected',
          description: 'The review is bad.',
          check: ({ steps }) => steps.at(-1)?.meta.mood === 'bad',
        },
        role: 'code',
      },
    ],
  },
})

const good = async () => ({ output: 'fine', meta: { mood: 'good' as const } })

describe('a run', () => {
  it('follows the table: the first match wins, and no match ends with a summary of the roles', async () => {
    const moods = ['bad', 'bad', 'good'] as const
    const run = createWorkflow(definition, {
      agent: good,
      overrides: {
        review: async ({ thread }) => {
          const mood = moods[thread.steps.filter(({ role }) => role === 'review').length] ?? 'bad'
          return { output: mood, meta: { mood } }
        },
      },
    })
    const { steps, completion } = await runToEnd(run)
    expect(steps.map(({ role }) => role)).toEqual(['plan', 'code', 'review', 'code', 'review', 'code', 'review'])
    expect(completion).toEqual({ returnCode: 0, summary: 'Completed after 7 steps: plan, code ×3, review ×3.' })
  })

  it('goes on from any prefix of its steps to the same end', async () => {
    const run = createWorkflow(definition, { agent: good })
    const whole = await runToEnd(run)
    for (let cut = 0; cut <= whole.steps.length; cut++) {
      const runtime = scriptedRuntime()
      for (const { contentHash } of whole.steps) runtime.contents.set(contentHash, { text: 'fine', refs: [] })
      const resumed = await runToEnd(run, { steps: whole.steps.slice(0, cut), runtime })
      expect(resumed).toEqual(whole)
    }
  })

  it('shows each agent the steps before it, and a snapshot that later steps do not change', async () => {
    const seen: (readonly unknown[])[] = []
    const run = createWorkflow(definition, {
      agent: async ({ thread, currentRole }) => {
        seen.push(thread.steps)
        return JSON.stringify({ mood: 'good', score: currentRole.name.length })
      },
    })
    const { steps } = await runToEnd(run)
    expect(seen).toEqual([[], steps.slice(0, 1), steps.slice(0, 2)])
  })

  it('stores the text with the refs that the role takes from its meta, each once', async () => {
    const refs = defineRole({
      ...text,
      schema: z.object({ files: z.array(z.string()) }),
      extractRefs: ({ files }) => files,
    })
    const run = createWorkflow(
      {
        description: 'Refers.',
        roles: { only: refs },
        table: { [START]: [{ condition: 'FALLBACK', role: 'only' }], only: [] },
      },
      {
        agent: async ({ runtime }) => {
          const hash = await runtime.cas.put('an artifact')
          return { output: 'see it', meta: { files: [hash, hash] } }
        },
      },
    )
    const runtime = scriptedRuntime()
    const { steps } = await runToEnd(run, { runtime })
    expect(steps[0]?.refs).toHaveLength(1)
    expect(runtime.contents.get(steps[0]?.contentHash ?? '')).toEqual({ text: 'see it', refs: steps[0]?.refs })
  })

  it('keeps the child thread that an agent names', async () => {
    const run = createWorkflow(definition, {
      agent: async () => ({ output: '', meta: { mood: 'good' }, childThread: '0000000000001' }),
    })
    expect((await runToEnd(run)).steps[0]?.childThread).toBe('0000000000001')
  })

  it('starts no role after its signal aborted', async () => {
    const controller = new AbortController()
    const run = createWorkflow(definition, {
      agent: async () => {
        controller.abort(new Error('killed'))
        return good()
      },
    })
    await expect(runToEnd(run, { runtime: scriptedRuntime({ signal: controller.signal }) })).rejects.toThrow('killed')
  })

  it('refuses to go on after a step of a role that it does not have', async () => {
    const steps = [{ role: 'constructor', contentHash: '', meta: {}, refs: [], timestamp: 1, childThread: null }]
    await expect(runToEnd(createWorkflow(definition, { agent: good }), { steps })).rejects.toThrow(
      /role "constructor", which this version/,
    )
  })

  it('lets the definition write the summary', async () => {
    const summarized = { ...definition, summarize: () => 'Well done.' }
    const { completion } = await runToEnd(createWorkflow(summarized, { agent: good }))
    expect(completion.summary).toBe('Well done.')
  })
})

describe('meta without a model', () => {
  it('is taken from text that is JSON fitting the schema', async () => {
    const { steps, texts } = await runToEnd(createWorkflow(definition, { agent: echoAgent }), {
      prompt: ' {"mood":"good","score":1,"more":true} ',
    })
    expect(steps[0]?.meta).toEqual({ mood: 'good', score: 1 })
    expect(texts[0]).toBe(' {"mood":"good","score":1,"more":true} ')
  })

  it.each([
    ['prose', 'I feel good.', [{ path: '', message: expect.stringContaining('not JSON') }]],
    ['JSON that does not fit', '{"mood":"meh","score":"1"}', [{ path: 'mood' }, { path: 'score' }]],
    ['an empty text', '', [{ path: '' }]],
  ])('is a typed error that keeps the text for %s', async (_what, prompt, problems) => {
    const runtime = scriptedRuntime()
    const error = await runToEnd(createWorkflow(definition, { agent: echoAgent }), { prompt, runtime }).catch((e) => e)
    expect(error).toBeInstanceOf(ExtractionError)
    expect(error.role).toBe('plan')
    expect(error.problems).toMatchObject(problems)
    expect(runtime.contents.get(error.contentHash)?.text).toBe(prompt)
    expect(runtime.logs).toEqual([{ text: error.message, level: 'error', tag: null }])
  })

  it('is an error when JSON would change it', async () => {
    const loose = defineRole({ description: '', systemPrompt: '', schema: z.looseObject({}), extractRefs: null })
    for (const [value, path] of [
      [{ at: new Date() }, 'at'],
      [{ list: [1, Number.NaN] }, 'list.1'],
      [{ deep: { f: () => 1 } }, 'deep.f'],
      [{ big: 1n }, 'big'],
    ] as const) {
      const run = createWorkflow(
        {
          description: 'd',
          roles: { only: loose },
          table: { [START]: [{ condition: 'FALLBACK', role: 'only' }], only: [] },
        },
        { agent: async () => ({ output: 'x', meta: value }) },
      )
      const error = await runToEnd(run).catch((e) => e)
      expect(error).toBeInstanceOf(ExtractionError)
      expect(error.problems[0].path).toBe(path)
    }
  })

  it('leaves out what is undefined', async () => {
    const run = createWorkflow(definition, {
      agent: async () => ({ output: '', meta: { mood: 'good', score: undefined } }),
    })
    expect(Object.keys((await runToEnd(run)).steps[0]?.meta ?? {})).toEqual(['mood'])
  })

  it('needs an agent that returns a text', async () => {
    // What plain JavaScript may return.
    const agent = (async () => 42) as unknown as typeof echoAgent
    await expect(runToEnd(createWorkflow(definition, { agent }))).rejects.toThrow(/must return a string/)
  })
})

describe('input', () => {
  const withInput = {
    ...definition,
    input: z.object({ path: z.string(), depth: z.int().default(3) }),
  }

  it('is read by the schema, with its defaults, and missing input is {}', async () => {
    const seen: unknown[] = []
    const agent = async ({ input }: { input: unknown }) => {
      seen.push(input)
      return good()
    }
    const typed = defineWorkflow({ ...definition, input: z.object({ depth: z.int().default(3) }) })
    await runToEnd(createWorkflow(typed, { agent }))
    await runToEnd(createWorkflow(typed, { agent }), { input: { depth: 5 } })
    expect(new Set(seen.map((s) => JSON.stringify(s)))).toEqual(new Set(['{"depth":3}', '{"depth":5}']))
  })

  it('that does not fit is a typed error with the path', async () => {
    const typed = defineWorkflow({ ...definition, input: withInput.input })
    const error = await runToEnd(createWorkflow(typed, { agent: good }), { input: { path: 3 } }).catch((e) => e)
    expect(error).toBeInstanceOf(InputError)
    expect(error.message).toMatch(/path: /)
  })
})

describe('a definition that cannot work', () => {
  const fallback = { condition: 'FALLBACK', role: 'plan' } as const
  const condition = { name: 'c', description: 'd', check: () => true }
  // Tables as plain JavaScript may hold them: the compiler refuses each of these.
  const broken = (table: object) => ({ ...definition, table }) as unknown as typeof definition

  it.each([
    ['no START row', { plan: [], code: [], review: [] }, /no START row/],
    ['an unknown target', { ...definition.table, plan: [{ condition: 'FALLBACK', role: 'nobody' }] }, /"nobody"/],
    [
      'an inherited name as target',
      { ...definition.table, plan: [{ condition: 'FALLBACK', role: 'constructor' }] },
      /"constructor"/,
    ],
    ['a row of an unknown role', { ...definition.table, toString: [] }, /"toString"/],
    ['entries after FALLBACK', { ...definition.table, plan: [fallback, fallback] }, /FALLBACK always matches/],
    [
      'an async condition',
      { ...definition.table, plan: [{ condition: { ...condition, check: async () => true }, role: 'code' }] },
      /is async/,
    ],
    [
      'a condition without a check',
      { ...definition.table, plan: [{ condition: 'ALWAYS', role: 'code' }] },
      /must be 'FALLBACK' or/,
    ],
  ])('is refused while the bundle loads: %s', (_what, table, message) => {
    expect(() => createWorkflow(broken(table), { agent: good })).toThrow(DefinitionError)
    expect(() => createWorkflow(broken(table), { agent: good })).toThrow(message)
    expect(() => buildDescriptor(broken(table))).toThrow(message)
  })

  it('is refused when nobody plays a role, or an override names no role', () => {
    // Bindings that the compiler refuses.
    const none = { overrides: { plan: good } } as unknown as { agent: typeof good }
    expect(() => createWorkflow(definition, none)).toThrow(/Nobody plays the role "code"/)
    const wrong = { agent: good, overrides: { paln: good } } as unknown as { agent: typeof good }
    expect(() => createWorkflow(definition, wrong)).toThrow(/"paln"/)
  })

  it('is refused for a role name that the platform does not take', () => {
    const roles = { __proto__x: text } as unknown as typeof definition.roles
    expect(() => createWorkflow({ ...definition, roles }, { agent: good })).toThrow(/is no role name/)
  })

  it('fails the run when a condition answers with a promise or throws', async () => {
    // A promise where a boolean belongs, which the compiler refuses.
    const promise = (() => Promise.resolve(false)) as unknown as () => boolean
    const boom = () => {
      throw new Error('boom')
    }
    for (const [check, message] of [
      [promise, /"c" after plan answered with a promise/],
      [boom, /"c" after plan threw: boom/],
    ] as const) {
      const table = { ...definition.table, plan: [{ condition: { ...condition, check }, role: 'code' }] }
      const error = await runToEnd(createWorkflow(broken(table), { agent: good })).catch((e) => e)
      expect(error).toBeInstanceOf(RoutingError)
      expect(error.message).toMatch(message)
    }
  })
})

describe('the descriptor', () => {
  it('has the role schemas without $schema, and one edge for each way through the table, silent ends too', () => {
    const descriptor = buildDescriptor({ ...definition, permissions: { exec: ['git'] } })
    expect(descriptor.roles.plan?.schema).toEqual({
      type: 'object',
      properties: { mood: { type: 'string', enum: ['good', 'bad'] }, score: { type: 'number' } },
      required: ['mood'],
      additionalProperties: false,
    })
    expect(descriptor.permissions).toEqual({ exec: ['git'] })
    expect(descriptor.graph.edges.map(({ from, to, condition }) => `${from} ${condition} ${to}`)).toEqual([
      `${START} FALLBACK plan`,
      'plan FALLBACK code',
      'code FALLBACK review',
      'review rejected code',
      `review FALLBACK ${END}`,
    ])
  })

  it('refuses a schema that JSON Schema cannot say, naming the role', () => {
    const dated = {
      ...definition,
      roles: { ...definition.roles, plan: { ...text, schema: z.object({ at: z.date() }) } },
    }
    const build = () => buildDescriptor(dated as unknown as typeof definition)
    expect(build).toThrow(DefinitionError)
    expect(build).toThrow(/role "plan"/)
  })
})
