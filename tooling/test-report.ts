import { z } from 'zod'

export type Counts = { passed: number; failed: number }

/** What vitest's `json` reporter writes, as far as it matters here. */
const vitestSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numFailedTestSuites: z.number(),
})
/** What Playwright's `json` reporter writes. A flaky test passed when it was tried again. */
const playwrightSchema = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
  errors: z.array(z.unknown()),
})

/** Counts of one report. Throws when it is of neither kind. A file that fails outside its tests counts as one failure. */
export function readReport(report: unknown): Counts {
  const vitest = vitestSchema.safeParse(report)
  if (vitest.success) {
    const { numPassedTests: passed, numFailedTests, numFailedTestSuites } = vitest.data
    return { passed, failed: numFailedTests || numFailedTestSuites }
  }
  const { stats, errors } = playwrightSchema.parse(report)
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected || errors.length }
}

export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed }
}
