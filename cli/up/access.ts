import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Database } from '@/db/client'
import { authenticateKey, createKey } from '@/server/access/keys'
import { createLoginLink } from '@/server/access/sessions'

/** The key in `path`, where this database knows it; else a new one, written there for its owner alone. */
export async function ensureKey(db: Database, path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (await authenticateKey(db, kept.trim())) return kept.trim()
  const { key } = await createKey(db, 'local')
  const draft = `${path}.${process.pid}`
  await writeFile(draft, `${key}\n`, { mode: 0o600 })
  await rename(draft, path)
  return key
}

/** A link that logs one browser in, once, and then shows the page at `path`. */
export async function loginLink(db: Database, url: string, path?: string): Promise<string> {
  const link = new URL(await createLoginLink(db, url))
  if (path !== undefined) link.searchParams.set('next', path)
  return link.href
}
