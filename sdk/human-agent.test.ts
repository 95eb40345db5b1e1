import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  ExtractionError,
  humanAgent,
  START,
  WaitTimedOut,
} from './index'
import { runToEnd, scriptedRuntime } from './testing'
import type { InputAnswer, Json, WaitForInput } from './types'

const approve = defineRole({
  description: 'Approves.',
  systemPrompt: '',
  schema: z
    .object({ approved: z.boolean(), why: z.string().default('') })
    .refine(({ approved, why }) => approved || why !== '', { message: 'a refusal needs a reason', path: ['why'] }),
  extractRefs: null,
})
const definition = defineWorkflow({
  description: 'Asks a person.',
  roles: { approve },
  table: { [START]: [{ condition: 'FALLBACK', role: 'approve' }], approve: [{ condition: 'FALLBACK', role: END }] },
})

type Options = Parameters<typeof humanAgent<{ approve: { approved: boolean; why: string } }, unknown>>[0]

/** Runs the workflow with these answers in turn, and a timeout after the last. */
async function ask(answers: Json[], options: Partial<Options> = {}) {
  const asked: WaitForInput[] = []
  const input = async (request: WaitForInput): Promise<InputAnswer> => {
    asked.push({ ...request })
    const value = answers[asked.length - 1]
    return value === undefined ? { answered: false, reason: 'timeout' } : { answered: true, value, by: 'alice' }
  }
  const runtime = scriptedRuntime({ wait: { input } })
  const run = createWorkflow(definition, { overrides: { approve: humanAgent({ prompt: 'Ship it?', ...options }) } })
  return { asked, runtime, ended: await runToEnd(run, { runtime }).catch((error: unknown) => error) }
}

describe('a person as agent', () => {
  it('is asked with the form of the role, and the answer becomes its meta, defaults filled in', async () => {
    const { asked, ended } = await ask([{ approved: true }], {
      subject: ({ thread }) => thread.bundleHash,
      answerers: { role: 'admin' },
      timeoutSeconds: 60,
    })
    expect(asked).toEqual([
      {
        input: {
          type: 'object',
          properties: { approved: { type: 'boolean' }, why: { type: 'string', default: '' } },
          required: ['approved'],
        },
        prompt: 'Ship it?',
        name: 'approve',
        subject: '0000000000000',
        answerers: { role: 'admin' },
        timeoutSeconds: 60,
      },
    ])
    expect(ended).toMatchObject({ steps: [{ meta: { approved: true, why: '' } }], texts: ['{"approved":true}'] })
  })

  it('is asked again, told what does not fit, when the answer fits the form but not the schema', async () => {
    const { asked, ended, runtime } = await ask([{ approved: false }, { approved: false, why: 'too late' }])
    expect(asked.map(({ prompt }) => prompt)).toEqual([
      'Ship it?',
      'Ship it?\n\nThe last answer does not fit. why: a refusal needs a reason',
    ])
    expect(ended).toMatchObject({ steps: [{ meta: { approved: false, why: 'too late' } }] })
    expect(runtime.logs).toMatchObject([{ level: 'warn', text: expect.stringContaining('alice') }])
  })

  it('is not asked for ever: the role fails with what did not fit', async () => {
    const { asked, ended } = await ask(Array.from({ length: 30 }, () => ({ approved: false })))
    expect(ended).toBeInstanceOf(ExtractionError)
    expect(asked).toHaveLength(10)
  })

  it('who does not answer in time fails the role with WaitTimedOut, or has the answer that the author gave for that', async () => {
    const silent = await ask([], { timeoutSeconds: 5 })
    expect(silent.ended).toBeInstanceOf(WaitTimedOut)
    const late = await ask([], {
      timeoutSeconds: 5,
      onTimeout: () => JSON.stringify({ approved: false, why: 'nobody' }),
    })
    expect(late.ended).toMatchObject({ steps: [{ meta: { approved: false, why: 'nobody' } }] })
  })
})
