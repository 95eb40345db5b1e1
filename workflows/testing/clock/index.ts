import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

/** Tells the time of its own first step. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  roles: {
    tick: defineRole({ description: 'Ticks.', systemPrompt: '', schema: z.object({}), extractRefs: null }),
    tell: defineRole({
      description: 'Tells.',
      systemPrompt: '',
      schema: z.object({ seen: z.int() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'tick' }],
    tick: [{ condition: 'FALLBACK', role: 'tell' }],
    tell: [{ condition: 'FALLBACK', role: END }],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  overrides: {
    tick: async () => '{}',
    tell: async ({ thread }) => JSON.stringify({ seen: thread.steps.at(-1)?.timestamp }),
  },
})
