import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

/** Sleeps for some milliseconds after its start, which may be years. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  input: z.object({ ms: z.int().min(0) }),
  roles: {
    wake: defineRole({ description: 'Wakes up.', systemPrompt: '', schema: z.object({}), extractRefs: null }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'wake' }],
    wake: [{ condition: 'FALLBACK', role: END }],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  overrides: {
    wake: async ({ thread, input, runtime }) => {
      await runtime.wait({ until: thread.start.timestamp + input.ms })
      return '{}'
    },
  },
})
