import { randomUUID } from 'node:crypto'
import type { Database } from '@/db/client'
import type { Actor } from '@/server/access/actor'
import type { WatchHub } from '@/server/threads/watch'

/** What lives as long as the process. */
export type Services = {
  db: Database
  hub: WatchHub
  /** Postgres is the one that `cairn up` started. */
  embedded: boolean
}

export type Context = Services & {
  requestId: string
  /** Who calls. Throws UNAUTHORIZED or FORBIDDEN; asked once a request, however many calls are batched in it. */
  authenticate: () => Promise<Actor>
}

export function createContext(services: Services, authenticate: () => Promise<Actor>): Context {
  let answer: Promise<Actor> | undefined
  return {
    ...services,
    requestId: randomUUID(),
    authenticate: () => {
      answer ??= authenticate()
      return answer
    },
  }
}
