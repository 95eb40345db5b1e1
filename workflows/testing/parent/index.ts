import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, workflowAsAgent } from 'cairn/sdk'
import * as z from 'zod'

/** Leaves its one role to the workflow that is named child. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  input: z.object({ steps: z.int().default(2) }),
  roles: {
    delegate: defineRole({
      description: 'Has a child do it.',
      systemPrompt: '',
      schema: z.object({ threadId: z.string(), returnCode: z.int(), summary: z.string() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'delegate' }],
    delegate: [{ condition: 'FALLBACK', role: END }],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  overrides: { delegate: workflowAsAgent('child', { input: ({ input }) => ({ steps: input.steps }) }) },
})
