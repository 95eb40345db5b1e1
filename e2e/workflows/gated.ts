import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

/** Steps that wait until a spec lets them go: step n ends when the file `gate-n` is in the folder. */
const definition = defineWorkflow({
  description: 'Takes each step only when it is let go.',
  input: z.object({
    folder: z.string().describe('Where the gates are'),
    steps: z.int().min(1).max(50).default(3),
  }),
  permissions: { exec: ['sh'] },
  roles: {
    gate: defineRole({
      description: 'Waits for its gate.',
      systemPrompt: 'Wait.',
      schema: z.object({ gate: z.int(), left: z.int() }),
      extractRefs: null,
    }),
    close: defineRole({
      description: 'Says that all gates were passed.',
      systemPrompt: 'Say so.',
      schema: z.object({}),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'gate' }],
    gate: [
      {
        condition: {
          name: 'gates left',
          description: 'There are more gates.',
          check: ({ steps, input }) => steps.length < input.steps,
        },
        role: 'gate',
      },
      { condition: 'FALLBACK', role: 'close' },
    ],
    close: [{ condition: 'FALLBACK', role: END }],
  },
  summarize: ({ input }) => `Passed ${input.steps} gates.`,
})

export const descriptor = buildDescriptor(definition)

export const run = createWorkflow(definition, {
  overrides: {
    gate: async ({ input, thread, runtime }) => {
      const gate = thread.steps.length + 1
      const script = 'until [ -e "$0" ]; do sleep 0.02; done'
      await runtime.exec('sh', ['-c', script, `${input.folder}/gate-${gate}`], { cwd: input.folder })
      return { output: `Gate ${gate} is open.`, meta: { gate, left: input.steps - gate } }
    },
    close: async () => ({ output: 'All gates are open.', meta: {} }),
  },
})
