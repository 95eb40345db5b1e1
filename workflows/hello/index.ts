import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from 'cairn/sdk'
import * as z from 'zod'
import { pause } from './pause'

const input = z.object({
  name: z.string().min(1).max(200).default('world').describe('Who is greeted'),
  steps: z.int().min(0).max(10_000).default(3).describe('How many stones are stacked'),
  delayMs: z.int().min(0).max(60_000).default(0).describe('Milliseconds that each stone takes'),
})

const definition = defineWorkflow({
  description: 'Greets somebody, stacks stones one step at a time, and says goodbye. Needs no model.',
  input,
  roles: {
    greet: defineRole({
      description: 'Says hello and how many stones there will be.',
      systemPrompt: 'Greet the person by name.',
      schema: z.object({ name: z.string(), planned: z.int() }),
      extractRefs: null,
    }),
    stack: defineRole({
      description: 'Puts one stone on the cairn.',
      systemPrompt: 'Put one stone on the cairn.',
      schema: z.object({ stone: z.int(), left: z.int() }),
      extractRefs: null,
    }),
    farewell: defineRole({
      description: 'Says how high the cairn is, and goodbye.',
      systemPrompt: 'Say how high the cairn is, and goodbye.',
      schema: z.object({ stones: z.int() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'greet' }],
    greet: [
      {
        condition: {
          name: 'has stones',
          description: 'At least one stone is planned.',
          check: (ctx) => ctx.input.steps > 0,
        },
        role: 'stack',
      },
      { condition: 'FALLBACK', role: 'farewell' },
    ],
    stack: [
      {
        condition: {
          name: 'stones left',
          description: 'Fewer stones are stacked than planned.',
          check: ({ steps }) => {
            const last = steps.at(-1)
            return last?.role === 'stack' && last.meta.left > 0
          },
        },
        role: 'stack',
      },
      { condition: 'FALLBACK', role: 'farewell' },
    ],
    farewell: [{ condition: 'FALLBACK', role: END }],
  },
  summarize: (ctx) => `Greeted ${ctx.input.name} and stacked ${countStones(stonesIn(ctx.steps))}.`,
})

function stonesIn(steps: readonly { role: string }[]): number {
  return steps.filter(({ role }) => role === 'stack').length
}

function countStones(count: number): string {
  return count === 1 ? '1 stone' : `${count} stones`
}

export const descriptor = buildDescriptor(definition)

export const run = createWorkflow(definition, {
  overrides: {
    greet: async ({ input: { name, steps }, runtime }) => {
      runtime.log(`greeting ${name}`, { tag: 'GREET001' })
      return { output: `Hello, ${name}! I will stack ${countStones(steps)}.`, meta: { name, planned: steps } }
    },
    stack: async ({ input: { steps, delayMs }, thread, runtime: { signal } }) => {
      await pause(delayMs, signal)
      const stone = stonesIn(thread.steps) + 1
      return {
        output: `Stone ${stone} of ${steps}.\n\n${'▬ '.repeat(Math.min(stone, 40)).trim()}`,
        meta: { stone, left: steps - stone },
      }
    },
    farewell: async ({ input: { name }, thread }) => {
      const stones = stonesIn(thread.steps)
      return { output: `The cairn is ${countStones(stones)} high. Goodbye, ${name}.`, meta: { stones } }
    },
  },
})
