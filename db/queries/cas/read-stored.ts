import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { BlobRow, StartRow, StateRow } from './insert-node'

/** A row as it is stored, with the table that holds it. */
export type StoredRow =
  | ({ table: 'blobs' } & BlobRow)
  | ({ table: 'start_nodes' } & StartRow)
  | ({ table: 'state_nodes' } & StateRow)

export type StoredSize = { hash: string; bytes: number }

/** Size of each object that is stored, measured, not read from a column; an address that two tables hold comes twice. */
export async function readSizes({ sql }: Queryable, hashes: readonly string[]): Promise<StoredSize[]> {
  const list = [...hashes]
  return mapped(sql<StoredSize[]>`
    select hash, octet_length(coalesce(body, '')) + octet_length(coalesce(raw, '')) as bytes
    from blobs where hash = any(${list}::text[])
    union all
    select hash, octet_length(body) from start_nodes where hash = any(${list}::text[])
    union all
    select hash, octet_length(body) from state_nodes where hash = any(${list}::text[])`)
}

/** The rows themselves, in no order. */
export async function readStored({ sql }: Queryable, hashes: readonly string[]): Promise<StoredRow[]> {
  const list = [...hashes]
  const [blobs, starts, states] = await Promise.all([
    mapped(sql<BlobRow[]>`
      select hash, type, body, raw, refs, digest, size, media_type as "mediaType"
      from blobs where hash = any(${list}::text[])`),
    mapped(sql<StartRow[]>`
      select hash, body, refs, digest, name, bundle, depth, parent_state as "parentState", prompt
      from start_nodes where hash = any(${list}::text[])`),
    mapped(sql<StateRow[]>`
      select hash, body, refs, digest, role, start, content, parent, height, compact, child_thread as "childThread", timestamp
      from state_nodes where hash = any(${list}::text[])`),
  ])
  return [
    ...blobs.map((row) => ({ table: 'blobs' as const, ...row })),
    ...starts.map((row) => ({ table: 'start_nodes' as const, ...row })),
    ...states.map((row) => ({ table: 'state_nodes' as const, ...row })),
  ]
}

export type BundleRow = { hash: string; source: string; digest: Buffer; size: number }

export async function readBundle({ sql }: Queryable, hash: string): Promise<BundleRow | null> {
  const rows = await mapped(sql<BundleRow[]>`select hash, source, digest, size from bundles where hash = ${hash}`)
  return rows[0] ?? null
}

/** What of a thread's row follows from its chain. */
export type ThreadChainRow = {
  id: string
  workflow: string
  bundle: string
  status: string
  start: string
  head: string
  height: number
  steps: number
  depth: number
  returnCode: number | null
}

export async function readThreadChain({ sql }: Queryable, id: string): Promise<ThreadChainRow | null> {
  const rows = await mapped(sql<ThreadChainRow[]>`
    select id, workflow, bundle, status, start, head, height, steps, depth, return_code as "returnCode"
    from threads where id = ${id}`)
  return rows[0] ?? null
}
