import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, workflowsAsAgent } from 'cairn/sdk'
import * as z from 'zod'

/** Has three threads of the workflow that is named child at once. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  roles: {
    spread: defineRole({
      description: 'Has three children do it.',
      systemPrompt: '',
      schema: z.object({ threads: z.array(z.object({ threadId: z.string(), status: z.string(), steps: z.int() })) }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'spread' }],
    spread: [{ condition: 'FALLBACK', role: END }],
  },
})

const steps = (steps: number) => ({ workflow: 'child', input: () => ({ steps }) })

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  overrides: { spread: workflowsAsAgent([steps(1), steps(2), steps(3)]) },
})
