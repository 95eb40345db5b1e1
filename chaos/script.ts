import { z } from 'zod'
import type { Random } from './random'

/** One step of a thread: what its role does before it yields. Times in milliseconds. */
export type Op =
  | { do: 'work'; ms: number }
  /** Waits for an input of this name; with `seconds`, goes on without one after that time. */
  | { do: 'ask'; name: string; seconds?: number | undefined }
  /** Waits until this long after the thread was started. */
  | { do: 'until'; ms: number }
  | { do: 'children'; mode: 'all' | 'any' | 'success'; workflow: Workflow; scripts: Script[] }
  /** Fails when it is tried for the first time. */
  | { do: 'flaky' }

/** What a thread of the chaos run does, and how it ends by itself: with a return code, or `throws`. */
export type Script = { ops: Op[]; end: number | 'throws' }

/** Free of bounds; at most `NARROW` at once; refused when more than a few are queued. */
export type Workflow = 'chaos' | 'chaos-narrow' | 'chaos-drop'
export const NARROW = 4

const workflow = z.enum(['chaos', 'chaos-narrow', 'chaos-drop'])
export const scriptSchema: z.ZodType<Script> = z.object({
  ops: z.array(
    z.discriminatedUnion('do', [
      z.object({ do: z.literal('work'), ms: z.number() }),
      z.object({ do: z.literal('ask'), name: z.string(), seconds: z.number().optional() }),
      z.object({ do: z.literal('until'), ms: z.number() }),
      z.object({
        do: z.literal('children'),
        mode: z.enum(['all', 'any', 'success']),
        workflow,
        scripts: z.array(z.lazy(() => scriptSchema)),
      }),
      z.object({ do: z.literal('flaky') }),
    ]),
  ),
  end: z.union([z.number(), z.literal('throws')]),
})

export type Planned = {
  workflow: Workflow
  script: Script
  /** Part of the run that has passed when it is started, 0 to 1. */
  at: number
  /** Somebody kills it at some time, and perhaps takes that back. */
  victim: 'no' | 'kill' | 'kill-and-retry'
  /** Answers given at once, before anything waits for them. */
  early: boolean
}

/** The threads of a run, decided by its seed alone. */
export function makePlan(random: Random, threads: number): Planned[] {
  return Array.from({ length: threads }, () => {
    const drop = random.chance(0.06)
    const victim = random.chance(0.1)
    return {
      workflow: drop ? 'chaos-drop' : random.pick(['chaos', 'chaos', 'chaos-narrow']),
      script: makeScript(random, 0),
      at: random.next() * 0.8,
      victim: victim ? random.pick(['kill', 'kill-and-retry']) : 'no',
      early: random.chance(0.4),
    }
  })
}

const MAX_DEPTH = 2

function makeScript(random: Random, depth: number): Script {
  const length = random.between(1, depth === 0 ? 7 : 4)
  const ops = Array.from({ length }, (_, n) => makeOp(random, depth, n))
  return { ops, end: random.chance(0.85) ? 0 : random.pick([1, 3, 'throws']) }
}

function makeOp(random: Random, depth: number, n: number): Op {
  const kind = random.next()
  if (kind < 0.15 && depth < MAX_DEPTH) {
    const scripts = Array.from({ length: random.between(1, 3) }, () => makeScript(random, depth + 1))
    const mode = random.pick(['all', 'any', 'success'] as const)
    return { do: 'children', mode, workflow: random.pick(['chaos', 'chaos-narrow']), scripts }
  }
  if (kind < 0.3)
    return { do: 'ask', name: `ask-${n}`, ...(random.chance(0.2) ? { seconds: random.between(1, 4) } : {}) }
  if (kind < 0.4) return { do: 'until', ms: random.between(0, 6_000) }
  if (kind < 0.45 && depth === 0) return { do: 'flaky' }
  return { do: 'work', ms: random.between(0, 150) }
}
