import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, humanAgent, START } from 'cairn/sdk'
import * as z from 'zod'

/** A draft that a person approves or rejects before it is published. */
const definition = defineWorkflow({
  description: 'Publishes a draft when somebody approved it.',
  input: z.object({}),
  roles: {
    draft: defineRole({
      description: 'Writes the draft.',
      systemPrompt: 'Write.',
      schema: z.object({}),
      extractRefs: null,
    }),
    review: defineRole({
      description: 'Approves the draft, or says what is wrong.',
      systemPrompt: 'Approve or reject.',
      schema: z.object({ approved: z.boolean(), note: z.string().optional().describe('What the author should know') }),
      extractRefs: null,
    }),
    publish: defineRole({
      description: 'Publishes the draft.',
      systemPrompt: 'Publish.',
      schema: z.object({}),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'draft' }],
    draft: [{ condition: 'FALLBACK', role: 'review' }],
    review: [
      {
        condition: {
          name: 'approved',
          description: 'The draft was approved.',
          check: ({ steps }) => {
            const last = steps.at(-1)
            return last?.role === 'review' && last.meta.approved
          },
        },
        role: 'publish',
      },
      { condition: 'FALLBACK', role: 'draft' },
    ],
    publish: [{ condition: 'FALLBACK', role: END }],
  },
  summarize: ({ steps }) => `Published after ${steps.filter((step) => step.role === 'draft').length} drafts.`,
})

export const descriptor = buildDescriptor(definition)

export const run = createWorkflow(definition, {
  overrides: {
    draft: async ({ thread: { steps } }) => ({
      output: `Draft ${steps.length + 1} of **the announcement**.`,
      meta: {},
    }),
    review: humanAgent({
      prompt: 'Is this draft **good enough** to be published?',
      subject: ({ thread: { steps } }) => steps.at(-1)?.contentHash,
    }),
    publish: async () => ({ output: 'It is published.', meta: {} }),
  },
})
