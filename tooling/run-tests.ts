import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCounts, type Counts, readReport } from './test-report'

/**
 * All tests, the quick ones first; the first step that fails is the last one. The last line of the output sums up the tests
 * of all steps: `N passed, N failed`.
 */
const STEPS: readonly { name: string; script: string; args: (report: string) => string[]; counted: boolean }[] = [
  { name: 'check', script: 'check', args: () => [], counted: false },
  { name: 'unit', script: 'test:unit', args: vitestArgs, counted: true },
  { name: 'db', script: 'test:db', args: vitestArgs, counted: true },
  { name: 'e2e', script: 'test:e2e', args: () => [], counted: true },
]

function vitestArgs(report: string): string[] {
  return ['--', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-tests-'))
let sum: Counts = { passed: 0, failed: 0 }
let failedStep: string | null = null
const times: string[] = []
try {
  for (const { name, script, args, counted } of STEPS) {
    const report = join(folder, `${name}.json`)
    const began = Date.now()
    const exitCode = await runScript(script, args(report), report)
    times.push(`${name} ${Math.round((Date.now() - began) / 1000)} s`)
    if (counted) sum = addCounts(sum, readCounts(report))
    if (exitCode === 0) continue
    failedStep = name
    // A step may fail without a failed test: the check, or a server that did not start.
    if (!counted || sum.failed === 0) sum = addCounts(sum, { passed: 0, failed: 1 })
    break
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`\n${times.join(', ')}\n`)
if (failedStep !== null) process.stdout.write(`The step ${failedStep} failed; what comes after it was not run.\n`)
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed\n`)
process.exitCode = failedStep === null ? 0 : 1

async function runScript(script: string, args: string[], report: string): Promise<number> {
  process.stdout.write(`\n> npm run ${script}\n`)
  const child = spawn('npm', ['run', '--silent', script, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, CAIRN_TEST_REPORT: report },
  })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

function readCounts(report: string): Counts {
  try {
    return readReport(JSON.parse(readFileSync(report, 'utf8')))
  } catch (error) {
    // No report: the step ended before its first test, and its exit code says so.
    process.stderr.write(`There is no readable test report: ${error instanceof Error ? error.message : error}\n`)
    return { passed: 0, failed: 0 }
  }
}
