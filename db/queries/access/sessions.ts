import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export async function insertLink(
  { sql }: Queryable,
  link: { id: string; linkHash: Buffer; linkSeconds: number; sessionSeconds: number },
): Promise<void> {
  await mapped(sql`
    insert into sessions (id, link_hash, link_expires_at, expires_at)
    values (${link.id}, ${link.linkHash}, app_now() + make_interval(secs => ${link.linkSeconds}),
      app_now() + make_interval(secs => ${link.sessionSeconds}))`)
}

/** Opens the link if it was never opened and is still valid: of two who try at once, one gets true. */
export async function openLink(
  { sql }: Queryable,
  link: { linkHash: Buffer; tokenHash: Buffer; sessionSeconds: number },
): Promise<boolean> {
  const done = await mapped(sql`
    update sessions set token_hash = ${link.tokenHash}, opened_at = app_now(),
      expires_at = app_now() + make_interval(secs => ${link.sessionSeconds})
    where link_hash = ${link.linkHash} and token_hash is null and link_expires_at > app_now()`)
  return done.count > 0
}

export type SessionRow = { id: string; tokenHash: Buffer }

export async function findSession({ sql }: Queryable, tokenHash: Buffer): Promise<SessionRow | null> {
  const rows = await mapped(sql<SessionRow[]>`
    select id, token_hash as "tokenHash" from sessions where token_hash = ${tokenHash} and expires_at > app_now()`)
  return rows[0] ?? null
}

/** Moves the end of a session that is in use, once an hour at most: a read must not cost a write. */
export async function extendSession({ sql }: Queryable, id: string, sessionSeconds: number): Promise<void> {
  await mapped(sql`
    update sessions set expires_at = app_now() + make_interval(secs => ${sessionSeconds})
    where id = ${id} and expires_at < app_now() + make_interval(secs => ${sessionSeconds - 3600})`)
}

/** Sessions that are over, and links that nobody opened in time. */
export async function deleteExpiredSessions({ sql }: Queryable): Promise<number> {
  const done = await mapped(sql`
    delete from sessions where expires_at <= app_now() or (token_hash is null and link_expires_at <= app_now())`)
  return done.count
}
