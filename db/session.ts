import { connect, parseDatabaseUrl, type Queryable } from './client'

/**
 * One connection, for work whose temporary tables and advisory locks belong to it; statements take as long as they need. A pooler
 * in transaction mode cannot carry it, so give it a direct URL.
 */
export type Session = Pick<Queryable, 'sql'> & {
  /** The connection has gone, and with it all that belonged to it: the driver would make a new one for the next statement. */
  lost(): boolean
  close(): Promise<void>
}

export function openSession(url: string, name: string): Session {
  let lost = false
  const sql = connect(parseDatabaseUrl(url).address, {
    max: 1,
    // The driver replaces connections after a while, unless told not to.
    max_lifetime: null,
    // Nobody would catch the failure of the driver's own first statement when the connection goes just then; arrays are not read here.
    fetch_types: false,
    connection: { application_name: name, statement_timeout: 0 },
    onclose: () => {
      lost = true
    },
  })
  return { sql, lost: () => lost, close: () => sql.end({ timeout: 1 }) }
}
