import { sql } from 'drizzle-orm'
import { customType, text, timestamp } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

/** `app_now()` is the only row clock: see the first custom migration. */
export const appNow = sql`app_now()`

export const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().default(appNow)

/** A CAS address: 13 characters of Crockford Base32. */
export const hash = (name: string) => text(name)
