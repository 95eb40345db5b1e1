import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { controlThread } from '@/server/threads/control/control'
import { begin, bundleOf, installBundle } from './testing/bundles'
import { startLocalRunner } from './testing/local-runner'
import { processes } from './testing/processes'
import { expectEndNode, factsOf } from './testing/thread-facts'
import { until } from './testing/until'

const db = await testDatabase()
const ACTOR = { name: 'ada', origin: 'api', role: 'owner' } as const
let local: Awaited<ReturnType<typeof startLocalRunner>>

/** Runs input.script, and waits for a time after it when input.sleep says so. */
const SHELL = bundleOf(`
  const { script, sleep } = thread.start.input
  await runtime.exec('sh', ['-c', script], { cwd: '/' })
  if (sleep) await runtime.wait({ until: Date.UTC(2190, 0) })
  return { returnCode: 0, summary: 'ran' }`)

beforeAll(async () => {
  const grants = { exec: [{ command: 'sh', folders: [] }] }
  await installBundle(db, 'shell', SHELL, { limits: { abortGraceSeconds: 1 }, grants })
  local = await startLocalRunner(db.url)
})
afterAll(() => local.stop())

const marked = (mark: string) => processes().filter(({ command }) => command.startsWith(`sleep ${mark}`))
const untilSleeping = (mark: string, count: number) =>
  until(
    () => marked(mark),
    (seen) => seen.length === count,
  )

describe.runIf(process.platform === 'linux')('commands of a thread', { timeout: 60_000 }, () => {
  test('that is killed are gone when its end is written: those that ignore SIGTERM, left the group or lost their parent too', async () => {
    const mark = `305.${Date.now()}`
    const script = `trap '' TERM; sleep ${mark} & setsid sleep ${mark} & setsid sh -c 'sleep ${mark} & exit' & sleep ${mark}; sleep ${mark}`
    const id = await begin(db, 'shell', { script })
    await untilSleeping(mark, 4)
    const killed = await controlThread(db, { id, command: 'kill', waitMs: 20_000 }, ACTOR)
    expect(killed).toMatchObject({ effect: 'done', status: 'killed' })
    expect(marked(mark)).toEqual([])
    await expectEndNode(db, id)
  })

  test('that begins to wait leave nothing in the background', async () => {
    const mark = `306.${Date.now()}`
    const id = await begin(db, 'shell', { script: `setsid sleep ${mark} >/dev/null 2>&1 </dev/null &`, sleep: true })
    await until(
      () => factsOf(db, id),
      ({ status }) => status === 'waiting',
    )
    await untilSleeping(mark, 0)
  })
})
