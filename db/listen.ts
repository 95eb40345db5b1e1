import { log } from '@/server/kernel/log'
import { connect, parseDatabaseUrl } from './client'
import { mapDatabaseError } from './errors'

/**
 * Calls `onNotify` for each notification on `channel`, and once after each reconnect, because what was sent in between is
 * lost. Has a connection of its own; a pooler in transaction mode cannot carry it, so give it a direct URL.
 * Throws an `AppError` when the first connection fails; later failures are retried until `close`.
 */
export async function listen(url: string, channel: string, onNotify: () => void): Promise<{ close(): Promise<void> }> {
  const sql = connect(parseDatabaseUrl(url).address, { max: 1, connection: { application_name: 'cairn-listen' } })
  let connectedBefore = false
  const onListen = () => {
    if (connectedBefore) {
      log.info({ channel }, 'listening again after a lost connection')
      onNotify()
    }
    connectedBefore = true
  }
  try {
    await sql.listen(channel, onNotify, onListen)
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw mapDatabaseError(error)
  }
  return { close: () => sql.end({ timeout: 1 }) }
}
