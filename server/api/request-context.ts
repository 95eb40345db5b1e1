import { authenticate } from '@/server/access/authenticate'
import type { RequestKind } from '@/server/access/check-request'
import { env } from '@/server/kernel/env'
import { type Context, createContext } from './context'
import { services } from './services'

/**
 * For a request to the API, and for a page that reads while it is rendered: pass the headers that came.
 * Credentials are looked at when the first procedure runs.
 */
export function requestContext(headers: Headers, kind: RequestKind): Context {
  const { db } = services()
  return createContext(services(), () => authenticate(db, { headers, kind, port: env().CAIRN_PORT }))
}
