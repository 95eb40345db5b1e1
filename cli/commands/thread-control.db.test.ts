import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { createKey } from '@/server/access/keys'
import { serveApi } from '@/server/api/testing/http-server'
import { initHash } from '@/server/cas/hash'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { createWatchHub } from '@/server/threads/watch'
import { EXIT_CODES } from '../exit-codes'
import { cairnHere } from '../testing/cairn-here'

await initHash()
const db = await testDatabase()
const hub = createWatchHub(db)
const api = await serveApi({ db, hub, embedded: false })
const { key } = await createKey(db, 'test')
const cairn = cairnHere({ url: api.url, key })
const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await hub.close()
  await api.close()
})

const RUNNER = 'runner-of-the-test'
const tokenOf = (id: string) => db.sql`(select lease_token from threads where id = ${id})`

/** What its runner does at the next yield. */
async function park(id: string): Promise<void> {
  await db.sql`select park_thread(${RUNNER}, ${id}, ${tokenOf(id)}, null)`
}

async function ask(id: string): Promise<void> {
  const schema = JSON.stringify({ type: 'string' })
  await db.sql`select suspend_thread(${RUNNER}, ${id}, ${tokenOf(id)}, (select head || '.1' from threads where id = ${id}), 'input', 'approve', 'Ship it?', ${schema}::text::json,
    null, null, null, null, '{}', 'all', 0, null)`
}

async function untilControl(id: string, control: string): Promise<void> {
  for (;;) {
    const [row] = await db.sql<{ control: string | null }[]>`select control from threads where id = ${id}`
    if (row?.control === control) return
  }
}

async function lastEvent(id: string) {
  const [row] = await db.sql<{ type: string; reason: string | null; actor: string }[]>`
    select type, reason, actor from thread_events where thread = ${id} order by seq desc limit 1`
  return row
}

describe('pause, resume and kill', () => {
  test('of a thread that no runner holds are done when the command ends, with the reason in its history', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    expect(await cairn('thread', 'pause', id, '--reason', 'look at it')).toMatchObject({
      exitCode: EXIT_CODES.ok,
      out: `${id} is paused.\n`,
    })
    expect(await lastEvent(id)).toMatchObject({ type: 'paused', reason: 'look at it' })
    expect((await cairn('thread', 'resume', id)).out).toBe(`${id} is queued.\n`)
    const killed = await cairn('thread', 'kill', id, '--json')
    expect(JSON.parse(killed.out)).toEqual({ id, effect: 'done', status: 'killed', control: null })
  })

  test('of a running thread say that they are requested; with --wait the command ends when the runner has done it', async () => {
    const { id } = await scriptedThread(db)
    expect(await cairn('thread', 'pause', id)).toMatchObject({
      exitCode: EXIT_CODES.ok,
      out: `${id} is running; pause is requested.\n`,
    })
    const waiting = cairn('thread', 'pause', id, '--wait')
    await untilControl(id, 'pause')
    await park(id)
    expect(await waiting).toMatchObject({ exitCode: EXIT_CODES.ok, out: `${id} is paused.\n` })
    await cairn('thread', 'kill', id)
  })

  test('with --wait, of a thread that ends first, exit as a conflict and say what it is now', async () => {
    const thread = await scriptedThread(db)
    const waiting = cairn('thread', 'pause', thread.id, '--wait')
    await untilControl(thread.id, 'pause')
    await thread.end(0)
    const { exitCode, out, notes } = await waiting
    expect([exitCode, out]).toEqual([EXIT_CODES.conflict, `${thread.id} is completed; pause is not done.\n`])
    expect(notes).toContain('came too late: the thread is completed')
  })

  test('that the thread is in no state for are a conflict, and of no thread not found', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    const refused = await cairn('thread', 'resume', id)
    expect(refused.exitCode).toBe(EXIT_CODES.conflict)
    expect(refused.error).toContain(`Thread ${id} is queued, so resume is refused`)
    expect((await cairn('thread', 'kill', '01J00000000000000000000000')).exitCode).toBe(EXIT_CODES.notFound)
    await cairn('thread', 'kill', id)
  })
})

describe('retry and rm', () => {
  test('a killed thread is retried, a completed one is not; rm takes a thread away', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    await cairn('thread', 'kill', id)
    expect(await cairn('thread', 'retry', id, '--reason', 'by mistake')).toMatchObject({
      exitCode: EXIT_CODES.ok,
      out: `${id} is queued.\n`,
    })
    expect((await cairn('thread', 'retry', id)).exitCode).toBe(EXIT_CODES.conflict)
    expect((await cairn('thread', 'rm', id)).out).toBe(`${id} is removed.\n`)
    expect((await cairn('thread', 'show', id)).exitCode).toBe(EXIT_CODES.notFound)
  })
})

describe('input', () => {
  test('answers what the thread waits for; show, waits and inputs tell of it', async () => {
    const { id } = await scriptedThread(db)
    await ask(id)
    const shown = await cairn('thread', 'show', id)
    expect(shown.out).toContain('waits for approve: Ship it?')
    expect(shown.out).toContain(`cairn thread input ${id} <json> --name approve`)
    const unfit = await cairn('thread', 'input', id, '7')
    expect([unfit.exitCode, unfit.error]).toEqual([EXIT_CODES.usage, expect.stringContaining('is not what thread')])
    const file = join(folder, 'answer.json')
    writeFileSync(file, '"yes"')
    expect((await cairn('thread', 'input', id, `@${file}`)).out).toBe(`${id} is answered and queued.\n`)
    const waits = await cairn('thread', 'waits', id, '--json')
    expect(JSON.parse(waits.out).items).toMatchObject([{ name: 'approve', status: 'answered', answer: 'yes' }])
    expect((await cairn('thread', 'inputs', id)).out).toMatch(/approve .*an answer +"yes"/)
    await cairn('thread', 'kill', id)
  })

  test('that comes early is kept, and text that is not JSON is wrong usage with an example', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    expect((await cairn('thread', 'input', id, '{"n":1}', '--name', 'numbers')).out).toBe(
      `Kept for when ${id} asks; it is queued.\n`,
    )
    const unquoted = await cairn('thread', 'input', id, 'yes')
    expect([unquoted.exitCode, unquoted.error]).toEqual([
      EXIT_CODES.usage,
      expect.stringContaining(`The input is not JSON`),
    ])
    await cairn('thread', 'kill', id)
  })
})

test('ps lists what runs and what is asked of it; with --all also what does not', async () => {
  const running = await scriptedThread(db)
  const queued = await scriptedThread(db, { queued: true })
  await cairn('thread', 'kill', running.id)
  const { out } = await cairn('thread', 'ps')
  expect(out).toMatch(new RegExp(`${running.id} .*running, to kill`))
  expect(out).not.toContain(queued.id)
  expect((await cairn('thread', 'ps', '--all')).out).toContain(queued.id)
})
