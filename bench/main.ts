import { parseArgs } from 'node:util'
import { benchFork } from './fork'
import { benchGc } from './gc'
import { type BenchEnvironment, benchEnvironment } from './lib/environment'
import { type BenchResult, printResult } from './lib/report'
import { benchRead } from './read'
import { benchRecover } from './recover'
import { benchReplay } from './replay'
import { benchScale } from './scale'
import { benchStart } from './start'
import { benchSteps } from './steps'
import { benchWatch } from './watch'

const BENCHES: Record<string, (environment: BenchEnvironment, options: { runs: number }) => Promise<BenchResult>> = {
  steps: benchSteps,
  start: benchStart,
  fork: benchFork,
  gc: benchGc,
  read: benchRead,
  recover: benchRecover,
  replay: benchReplay,
  scale: benchScale,
  watch: benchWatch,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, runs: { type: 'string', default: '3' } },
})
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
for (const name of names) {
  const bench = BENCHES[name]
  if (bench === undefined) {
    process.stderr.write(`There is no benchmark ${name}. There are: ${Object.keys(BENCHES).join(', ')}.\n`)
    process.exit(2)
  }
  const environment = await benchEnvironment()
  const interrupt = () => void environment.close().finally(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    printResult(await bench(environment, { runs: Number(values.runs) }), values.json)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await environment.close()
  }
}
