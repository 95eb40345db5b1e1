import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

const definition = defineWorkflow({
  description: 'Appends steps as fast as it can, and from a step on asks before each.',
  input: z.object({ steps: z.int(), free: z.int() }),
  roles: {
    work: defineRole({
      description: 'Says a line, and asks for leave before it when it is not free any more.',
      systemPrompt: '',
      // `at`: when the role's first line ran, in milliseconds since the epoch with fractions.
      schema: z.object({ n: z.number(), at: z.number() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'work' }],
    work: [
      {
        condition: { name: 'more', description: 'Steps are left.', check: (ctx) => ctx.steps.length < ctx.input.steps },
        role: 'work',
      },
      { condition: 'FALLBACK', role: END },
    ],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  agent: async ({ thread, input, runtime }) => {
    const at = performance.timeOrigin + performance.now()
    const n = thread.steps.length
    if (n >= input.free) await runtime.wait({ input: { type: 'null' }, prompt: `Go on with ${n}?` })
    return { output: `${thread.threadId} ${n}`, meta: { n, at } }
  },
})
