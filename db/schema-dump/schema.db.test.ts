import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { MIGRATIONS_FOLDER } from '../migrate'
import * as schema from '../schema/index'
import { testDatabase } from '../testing/test-database'
import { dumpSchema } from './dump-schema'
import { SCHEMA_FILE } from './schema-file'

const db = await testDatabase()

test('a fresh migrate gives exactly the committed db/schema.sql (after a migration: npm run db:schema)', async () => {
  expect(await dumpSchema(db)).toBe(readFileSync(SCHEMA_FILE, 'utf8'))
})

test('the migrations hold every change of db/schema (after a change: npm run db:generate)', async () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(MIGRATIONS_FOLDER, 'meta', name), 'utf8'))
  const journal = z.object({ entries: z.array(z.object({ idx: z.number() })) }).parse(read('_journal.json'))
  const last = String(journal.entries.at(-1)?.idx).padStart(4, '0')
  // drizzle-kit wrote the file in the form that it reads.
  const snapshot = read(`${last}_snapshot.json`) as ReturnType<typeof generateDrizzleJson>
  expect(await generateMigration(snapshot, generateDrizzleJson(schema, snapshot.id))).toEqual([])
})

test('the schema has no object outside the sections of the dump', async () => {
  const unknown = await db.sql`
    select relname, relkind from pg_class
    where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'i', 'I', 'S', 'v', 'm')
    union all
    select proname, prokind from pg_proc where pronamespace = 'public'::regnamespace and prokind not in ('f', 'p')`
  expect([...unknown]).toEqual([])
})
