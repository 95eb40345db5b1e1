import type { Database } from '../client'
import { withTransaction } from '../client'

/**
 * Moves the clock of one test database on by `ms` (back when negative), for every session of every process at once: replaces
 * `app_now()` by one that reads an offset. Moves add up.
 */
export async function moveClock(db: Database, ms: number): Promise<void> {
  await withTransaction(db, async ({ sql }) => {
    await sql`create table if not exists test_clock (one boolean primary key default true, offset_ms bigint not null)`
    await sql`
      insert into test_clock (offset_ms) values (${ms})
      on conflict (one) do update set offset_ms = test_clock.offset_ms + excluded.offset_ms`
    await sql`
      create or replace function app_now() returns timestamptz language sql volatile parallel safe as
      'select clock_timestamp() + (select offset_ms from test_clock) * interval ''1 millisecond'''`
  })
}
