import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { registryEvents } from '@/db/schema/registry'

export type EventRow = typeof registryEvents.$inferSelect
export type NewEvent = Pick<EventRow, 'workflow' | 'type' | 'before' | 'after' | 'actor' | 'note'> & { data: object }

/** Returns the event's `seq`. */
export async function appendEvent({ orm }: Queryable, event: NewEvent): Promise<number> {
  const rows = await mapped(orm.insert(registryEvents).values(event).returning({ seq: registryEvents.seq }))
  const [row] = rows
  // INSERT … RETURNING of one row gives one row or throws.
  if (!row) throw new Error('the insert returned no row')
  return row.seq
}
