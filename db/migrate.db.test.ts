import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { MIGRATIONS_FOLDER, migrate } from './migrate'
import { dumpSchema } from './schema-dump/dump-schema'
import { testDatabase } from './testing/test-database'

const migrated = await testDatabase()
const empty = await testDatabase({ empty: true })
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const journalSchema = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string(), when: z.number() })) })
type Journal = z.infer<typeof journalSchema>

/** The migrations as another version would have them. */
function otherVersion(change: (journal: Journal, folder: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-migrations-'))
  folders.push(folder)
  cpSync(MIGRATIONS_FOLDER, folder, { recursive: true })
  const file = join(folder, 'meta', '_journal.json')
  const journal = journalSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  change(journal, folder)
  writeFileSync(file, JSON.stringify(journal))
  return folder
}

test('any number of migrators at once bring an empty database to the same schema', async () => {
  await Promise.all(Array.from({ length: 6 }, () => migrate(empty.url)))
  expect(await dumpSchema(empty)).toBe(await dumpSchema(migrated))
})

test('migrating again changes nothing', async () => {
  const ledger = () => migrated.sql`select * from drizzle.__drizzle_migrations order by id`
  const before = [...(await ledger())]
  await migrate(migrated.url)
  expect([...(await ledger())]).toEqual(before)
})

test('an older version refuses a database of a newer one and leaves it alone', async () => {
  const older = otherVersion((journal) => journal.entries.pop())
  await expect(migrate(migrated.url, older)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('belongs to a newer version'),
  })
})

test('a migration that was edited after it ran is refused', async () => {
  const edited = otherVersion((journal, folder) => {
    const file = join(folder, `${journal.entries[0]?.tag}.sql`)
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n-- edited`)
  })
  await expect(migrate(migrated.url, edited)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('was changed after this database ran it'),
  })
})

test('a migration that fails half-way leaves the schema and the ledger as they were', async () => {
  const broken = otherVersion((journal, folder) => {
    const entry = { ...journal.entries.at(-1), tag: '9999_broken', idx: 9999, when: Date.now() + 1e9 }
    journal.entries.push(entry)
    writeFileSync(join(folder, '9999_broken.sql'), 'create table half ();\n--> statement-breakpoint\nselect 1/0;')
  })
  await expect(migrate(migrated.url, broken)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  expect(await dumpSchema(migrated)).toBe(await dumpSchema(empty))
  await migrate(migrated.url)
})
