import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import { type Client, createClient } from '@/cli/client'
import { type Database, openDatabase } from '@/db/client'
import { createLoginLink } from '@/server/access/sessions'
import { readStack, type Stack } from './stack'

/** A thread of the gated workflow: its steps end when they are let go. */
export type GatedThread = {
  id: string
  /** Lets step `n` end. */
  open: (n: number) => void
}

type Fixtures = {
  /** Starts a gated thread with so many gates. All gates are opened when the test is over. */
  startGated: (steps: number) => Promise<GatedThread>
  /** A new folder for gates. */
  gates: { folder: string; open: (n: number) => void }
}
type WorkerFixtures = { stack: Stack; api: Client; database: Database; session: { name: string; value: string } }

/** Pages are logged in; `test.use({ storageState: undefined })` gives a browser that nobody logged in. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  stack: [async ({ browserName: _ }, use) => use(readStack()), { scope: 'worker' }],
  api: [async ({ stack }, use) => use(createClient(stack)), { scope: 'worker' }],
  database: [
    async ({ stack }, use) => {
      const database = openDatabase(stack.databaseUrl, { purpose: 'test', max: 2 })
      await use(database)
      await database.close()
    },
    { scope: 'worker' },
  ],
  session: [
    async ({ stack, database }, use) => {
      const answer = await fetch(await createLoginLink(database, stack.url), { redirect: 'manual' })
      const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
      const [name = '', value = ''] = pair.split('=')
      await use({ name, value })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ stack }, use) => use(stack.url),
  storageState: async ({ session }, use) =>
    use({
      origins: [],
      cookies: [
        { ...session, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' },
      ],
    }),
  gates: async ({ stack }, use) => {
    const folder = mkdtempSync(join(stack.folder, 'gates-'))
    const open = (n: number) => writeFileSync(join(folder, `gate-${n}`), '')
    await use({ folder, open })
    for (let n = 1; n <= 50; n++) open(n)
  },
  startGated: async ({ api, gates }, use) => {
    await use(async (steps) => {
      const input = { folder: gates.folder, steps }
      const { id } = await api.thread.start.mutate({ workflow: 'gated', prompt: 'Pass the gates.', input })
      return { id, open: gates.open }
    })
  },
})

export { expect }
