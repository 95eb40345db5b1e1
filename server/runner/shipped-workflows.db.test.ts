import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '@/db/client'
import { testDatabase } from '@/db/testing/test-database'
import type { Json } from '@/sdk/index'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import { addWorkflow } from '@/server/registry/add'
import { buildBundle } from '@/server/registry/build'
import { readRecords } from '@/server/threads/read-records'
import type { ThreadRecord } from '@/server/threads/records'
import { startThread } from '@/server/threads/start'
import { RUNNER_DEFAULTS, Runner } from './runner'

const db = await testDatabase()
const runnerDatabase = openDatabase(db.url, { purpose: 'runner', max: 4 })
const runner = new Runner(runnerDatabase, { ...RUNNER_DEFAULTS, version: 'test' })
await runner.start()
const root = await mkdtemp(path.join(tmpdir(), 'cairn-shipped-'))
afterAll(async () => {
  await runner.stop()
  await runnerDatabase.close()
  await rm(root, { recursive: true })
})

const WORKFLOWS = path.resolve(import.meta.dirname, '../../workflows')
const actor = { name: 'key:test', role: 'admin', origin: 'api' } as const

async function register(name: string, entry: string, commands: { command: string; folders: string[] }[] = []) {
  const { code } = await buildBundle(entry)
  return addWorkflow(db, { name, fileName: `${name}.esm.js`, source: code, grants: { exec: commands } }, actor)
}

/** A repository of one commit. */
async function oneCommit(folder: string) {
  await execa('git', ['init', '-q', '-b', 'main', folder])
  await writeFile(path.join(folder, 'a.txt'), 'x\n')
  await execa('git', ['add', '.'], { cwd: folder })
  await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', 'commit', '-qm', 'm'], { cwd: folder })
}

/** Starts a thread and reads its records to the end. */
async function finish(workflow: string, input: Json) {
  const { id } = await startThread(db, { workflow, prompt: 'go', input }, actor)
  const records: ThreadRecord[] = []
  for (let after: string | null = null, over = false; !over; ) {
    const page = await readRecords(db, id, after, 200)
    records.push(...page.items)
    after = page.cursor
    over = page.items.some(({ kind }) => kind === 'end')
  }
  const verified = await verifyThread(db, threadIdSchema.parse(id))
  return {
    records,
    steps: records.flatMap((record) => (record.kind === 'step' ? [record] : [])),
    end: records.at(-1),
    verified,
  }
}

describe('a shipped workflow, built, registered and run in a worker', { timeout: 60_000 }, () => {
  it('hello: greets and stacks, and its history verifies', async () => {
    await register('hello', path.join(WORKFLOWS, 'hello/index.ts'))
    const { steps, end, verified } = await finish('hello', { name: 'Ada', steps: 2 })
    expect(steps.map(({ role }) => role)).toEqual(['greet', 'stack', 'stack', 'farewell'])
    expect(end).toMatchObject({ kind: 'end', returnCode: 0, summary: 'Greeted Ada and stacked 2 stones.' })
    expect(verified).toMatchObject({ ok: true, findings: [] })
  })

  it('repo-report: reports on a granted repository, by its path or as the first granted folder', async () => {
    const folder = path.join(root, 'granted')
    await oneCommit(folder)
    await register('repo-report', path.join(WORKFLOWS, 'repo-report/index.ts'), [{ command: 'git', folders: [folder] }])
    for (const input of [{ path: folder }, null]) {
      const { steps, end, verified } = await finish('repo-report', input)
      expect(end).toMatchObject({ kind: 'end', returnCode: 0, summary: 'Reported on granted: 1 commit, 1 file.' })
      expect(steps.at(-1)?.content).toContain('# granted\n')
      expect(verified.ok).toBe(true)
    }
  })

  it('repo-report: fails with the reason where it is not granted', async () => {
    const { end } = await finish('repo-report', { path: root })
    expect(end).toMatchObject({
      kind: 'end',
      returnCode: 1,
      summary: expect.stringMatching(/git may run in .*granted/),
    })
  })
})

describe('the SDK in a worker', { timeout: 60_000 }, () => {
  it('dates the steps that routing sees as they were recorded', async () => {
    await register('clock', path.join(WORKFLOWS, 'testing/clock/index.ts'))
    const { steps } = await finish('clock', null)
    expect(steps.map(({ role }) => role)).toEqual(['tick', 'tell'])
    expect(steps[1]?.meta).toEqual({ seen: Date.parse(steps[0]?.at ?? '') })
  })

  it('may refer in a step to any texts that it stored just before', async () => {
    await register('refers', path.join(WORKFLOWS, 'testing/refers/index.ts'))
    const { end, steps, verified } = await finish('refers', null)
    expect(end).toMatchObject({ kind: 'end', returnCode: 0 })
    expect(steps[0]?.refs).toHaveLength(20)
    expect(verified.ok).toBe(true)
  })

  it('keeps the text of an answer that does not give the meta', async () => {
    await register('prose', path.join(WORKFLOWS, 'testing/prose/index.ts'))
    const { end, records } = await finish('prose', null)
    expect(end).toMatchObject({
      kind: 'end',
      returnCode: 1,
      summary: expect.stringContaining('does not give its meta'),
    })
    const hash = /kept as ([0-9A-Z]{13})/.exec(JSON.stringify(records))?.[1] ?? ''
    const [row] = await db.sql`select body from blobs where hash = ${hash}`
    expect(row?.body).toContain('No JSON, just prose.')
  })
})
