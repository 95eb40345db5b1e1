import { setTimeout as pause } from 'node:timers/promises'
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

const definition = defineWorkflow({
  description: 'Appends steps at a pace: each role takes its time, as one that asks a model does, and says about 1 KB.',
  input: z.object({ steps: z.int(), everyMs: z.int() }),
  roles: {
    work: defineRole({
      description: 'Waits, then says 1 KB that no other step says.',
      systemPrompt: '',
      schema: z.object({ n: z.number() }),
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
const filler = Array.from({ length: 1024 }, () => alphabet[Math.floor(Math.random() * alphabet.length)]).join('')

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  agent: async ({ thread, input, runtime }) => {
    if (input.everyMs > 0) await pause(input.everyMs, undefined, { signal: runtime.signal })
    const name = `${thread.threadId} ${thread.steps.length} `
    return { output: name + filler.slice(name.length), meta: { n: thread.steps.length } }
  },
})
