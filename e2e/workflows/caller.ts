import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, workflowsAsAgent } from 'cairn/sdk'
import * as z from 'zod'

const childSchema = z.object({
  threadId: z.string(),
  workflow: z.string(),
  status: z.string(),
  returnCode: z.int(),
  summary: z.string(),
  steps: z.int(),
})

/** Has two gated threads play its only role, at once. */
const definition = defineWorkflow({
  description: 'Calls the gated workflow twice and waits for both.',
  input: z.object({ folder: z.string().describe('Where the gates are') }),
  roles: {
    delegate: defineRole({
      description: 'Two child threads.',
      systemPrompt: 'Delegate.',
      schema: z.object({ threads: z.array(childSchema) }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'delegate' }],
    delegate: [{ condition: 'FALLBACK', role: END }],
  },
  summarize: () => 'Both children are done.',
})

export const descriptor = buildDescriptor(definition)

export const run = createWorkflow(definition, {
  overrides: {
    delegate: workflowsAsAgent(
      [1, 2].map(() => ({ workflow: 'gated', input: ({ input }) => ({ folder: input.folder, steps: 1 }) })),
    ),
  },
})
