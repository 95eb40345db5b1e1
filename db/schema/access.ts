import { pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytea, createdAt } from './columns'

/** Keys for the API and the CLI. Written by `cairn up`; only a SHA-256 of the key is kept. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    label: text('label').notNull(),
    keyHash: bytea('key_hash').notNull(),
    createdAt: createdAt(),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
  },
  (t) => [uniqueIndex('api_keys_key_hash').on(t.keyHash)],
)

/**
 * Browser sessions. A row is made with the hash of a one-time link; opening the link once sets `token_hash`, the hash of
 * the cookie. Written by `cairn up`, `cairn open` and the login page; expired rows are removed at start.
 */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    linkHash: bytea('link_hash').notNull(),
    /** The link opens nothing after this. */
    linkExpiresAt: timestamp('link_expires_at', { withTimezone: true }).notNull(),
    tokenHash: bytea('token_hash'),
    openedAt: timestamp('opened_at', { withTimezone: true }),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('sessions_link_hash').on(t.linkHash), uniqueIndex('sessions_token_hash').on(t.tokenHash)],
)
