import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

/** Answers with prose where meta is wanted. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  roles: {
    only: defineRole({ description: 'Talks.', systemPrompt: '', schema: z.object({ n: z.int() }), extractRefs: null }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'only' }],
    only: [{ condition: 'FALLBACK', role: END }],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, { agent: async () => 'No JSON, just prose.' })
