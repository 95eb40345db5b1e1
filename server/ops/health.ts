import type { Queryable } from '@/db/client'
import { ping } from '@/db/queries/ops/ping'
import { INSTANCE_HEADER } from '@/server/kernel/env'
import { messageOf } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'

/** A readiness probe waits no longer for the database. */
const READY_MS = 2_000

/** The process runs and answers. */
export function liveResponse(): Response {
  return answer(200, { status: 'live' })
}

/** 200 when the database answers in time and has this version's tables, else 503: send no traffic here now. */
export async function readyResponse(db: () => Queryable, instance?: () => string | undefined): Promise<Response> {
  let timer: NodeJS.Timeout | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer from the database in ${READY_MS} ms`)), READY_MS)
    })
    await Promise.race([ping(db()), late])
    const name = instance?.()
    return answer(200, { status: 'ready' }, name === undefined ? {} : { [INSTANCE_HEADER]: name })
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'not ready')
    return answer(503, { status: 'not ready', reason: 'The database does not answer, or is not migrated.' })
  } finally {
    clearTimeout(timer)
  }
}

function answer(status: number, body: Record<string, string>, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
