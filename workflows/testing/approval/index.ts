import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, humanAgent, START } from 'cairn/sdk'
import * as z from 'zod'

/** Drafts until a person approves of a draft. The approval is bound to the hash of the draft. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  roles: {
    draft: defineRole({
      description: 'Writes a draft.',
      systemPrompt: '',
      schema: z.object({ version: z.int() }),
      extractRefs: null,
    }),
    approve: defineRole({
      description: 'Approves of a draft, or says what is wrong with it.',
      systemPrompt: '',
      schema: z
        .object({ approved: z.boolean(), why: z.string().default('') })
        .refine(({ approved, why }) => approved || why !== '', { message: 'a refusal needs a reason', path: ['why'] }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'draft' }],
    draft: [{ condition: 'FALLBACK', role: 'approve' }],
    approve: [
      {
        condition: {
          name: 'refused',
          description: 'The draft is not approved of.',
          check: ({ steps }) => {
            const last = steps.at(-1)
            return last?.role === 'approve' && !last.meta.approved
          },
        },
        role: 'draft',
      },
      { condition: 'FALLBACK', role: END },
    ],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  overrides: {
    draft: async ({ thread }) => {
      const version = thread.steps.filter(({ role }) => role === 'draft').length + 1
      return { output: `Draft ${version}`, meta: { version } }
    },
    approve: humanAgent({
      prompt: ({ thread }) => `Approve of draft ${thread.steps.filter(({ role }) => role === 'draft').length}?`,
      subject: ({ thread }) => thread.steps.at(-1)?.contentHash,
    }),
  },
})
