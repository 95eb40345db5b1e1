import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'

/** Stores 20 texts and one that refers to them all, whose hash cannot come after those of all the others. */
const definition = defineWorkflow({
  description: 'For a test of the platform.',
  roles: {
    refer: defineRole({
      description: 'Refers.',
      systemPrompt: '',
      schema: z.object({ parts: z.array(z.string()) }),
      extractRefs: ({ parts }) => parts,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'refer' }],
    refer: [{ condition: 'FALLBACK', role: END }],
  },
})

export const descriptor = buildDescriptor(definition)
export const run = createWorkflow(definition, {
  agent: async ({ runtime }) => {
    const parts: string[] = []
    for (let n = 0; n < 20; n++) parts.push(await runtime.cas.put(`part ${n}`))
    return { output: 'the whole', meta: { parts } }
  },
})
