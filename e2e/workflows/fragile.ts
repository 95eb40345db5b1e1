import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

/** Its second step fails until the file `repaired` is in the folder. */
const definition = defineWorkflow({
  description: 'Fails until somebody repaired what it needs.',
  input: z.object({ folder: z.string().describe('Where the repair shows') }),
  permissions: { exec: ['test'] },
  roles: {
    prepare: defineRole({
      description: 'Prepares.',
      systemPrompt: 'Prepare.',
      schema: z.object({}),
      extractRefs: null,
    }),
    attempt: defineRole({
      description: 'Needs the repair.',
      systemPrompt: 'Try.',
      schema: z.object({}),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'prepare' }],
    prepare: [{ condition: 'FALLBACK', role: 'attempt' }],
    attempt: [{ condition: 'FALLBACK', role: END }],
  },
  summarize: () => 'It worked.',
})

export const descriptor = buildDescriptor(definition)

export const run = createWorkflow(definition, {
  overrides: {
    prepare: async ({ runtime }) => {
      runtime.log('Prepared.', { level: 'debug' })
      return { output: 'Prepared.', meta: {} }
    },
    attempt: async ({ input, runtime }) => {
      const { exitCode } = await runtime.exec('test', ['-e', `${input.folder}/repaired`], { cwd: input.folder })
      if (exitCode !== 0) {
        runtime.log('The repair is missing.', { level: 'error' })
        throw new Error('What it needs is broken: repair it and retry.')
      }
      return { output: 'It worked.', meta: {} }
    },
  },
})
