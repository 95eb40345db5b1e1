import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

const definition = defineWorkflow({
  description: 'Appends steps as fast as the platform takes them: no-op agents, about 1 KB of content each.',
  input: z.object({ steps: z.int() }),
  roles: {
    work: defineRole({
      description: 'Says 1 KB that no other step says.',
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

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789 .,-'
/** Text that does not compress to nothing, made once; each step begins it with its own name. */
const filler = Array.from({ length: 1024 }, () => alphabet[Math.floor(Math.random() * alphabet.length)]).join('')

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  agent: async ({ thread }) => {
    const at = performance.timeOrigin + performance.now()
    const name = `${thread.threadId} ${thread.steps.length} `
    return { output: name + filler.slice(name.length), meta: { n: thread.steps.length, at } }
  },
})
