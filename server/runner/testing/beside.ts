import type { Database } from '@/db/client'
import type { Limits } from '@/server/threads/limits'
import { begin, COUNTER, installBundle } from './bundles'
import { expectEndNode, expectExactlyOnce, factsOf, type ThreadFacts, untilEnded } from './thread-facts'

const STEPS = 20
/** Small, so that each hostile bundle is at its bound within seconds. */
const LIMITS: Partial<Limits> = { roleSeconds: 2, abortGraceSeconds: 1, workerMegabytes: 200, crashes: 2 }
let made = 0

/**
 * Runs a hostile bundle on a runner that runs a well-behaved thread of another bundle at the same time. That one completes;
 * the hostile one has its end node; the runner lives. Returns how the hostile one ended.
 */
export async function runBeside(
  db: Database,
  source: string,
  options: { limits?: Partial<Limits>; maxRounds?: number; seconds?: number } = {},
): Promise<ThreadFacts & { id: string }> {
  made += 1
  const [good, bad] = ['good', `bad-${made}`]
  if (made === 1) await installBundle(db, good, COUNTER)
  await installBundle(db, bad, `${source}// ${made}`, { limits: { ...LIMITS, ...options.limits } })
  const hostile = await begin(db, bad, {}, { maxRounds: options.maxRounds ?? 100 })
  const beside = await begin(db, good, { steps: STEPS, ms: 20 })
  await untilEnded(db, beside, options.seconds ?? 30)
  await untilEnded(db, hostile, options.seconds ?? 30)
  // And one that starts after it.
  const after = await begin(db, good, { steps: 1, ms: 0 })
  await untilEnded(db, after)
  await expectExactlyOnce(db, beside, STEPS)
  await expectEndNode(db, hostile)
  return { ...(await factsOf(db, hostile)), id: hostile }
}
