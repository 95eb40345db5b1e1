import { expect, test } from 'vitest'
import { addCounts, readReport } from './test-report'

test('tests of both runners are counted, a flaky one as passed', () => {
  const vitest = readReport({ numPassedTests: 12, numFailedTests: 2, numFailedTestSuites: 1 })
  const playwright = readReport({ stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 2 }, errors: [] })
  expect(addCounts(vitest, playwright)).toEqual({ passed: 16, failed: 3 })
})

test('a file that does not load, or a server that does not start, is a failure though no test failed', () => {
  expect(readReport({ numPassedTests: 12, numFailedTests: 0, numFailedTestSuites: 1 }).failed).toBe(1)
  expect(readReport({ stats: { expected: 0, unexpected: 0, flaky: 0 }, errors: [{}] }).failed).toBe(1)
})

test('what is no report is not read as one without failures', () => {
  expect(() => readReport({})).toThrow()
})
