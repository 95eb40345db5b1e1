import { openDatabase } from '@/db/client'
import { env } from '@/server/kernel/env'
import { createWatchHub } from '@/server/threads/watch'
import type { Services } from './context'

const KEY = Symbol.for('cairn.services')

/**
 * The one pool and the one hub of this process. They hang on `globalThis` because Next evaluates this module once for each
 * of its bundles, and again at each hot reload.
 */
export function services(): Services {
  // Nobody else sets this symbol, so what is there is what the next line put there.
  const holder = globalThis as { [KEY]?: Services }
  holder[KEY] ??= open()
  return holder[KEY]
}

function open(): Services {
  const db = openDatabase(env().DATABASE_URL, { purpose: 'web' })
  return { db, hub: createWatchHub(db), embedded: env().CAIRN_EMBEDDED }
}
