import type { Queryable } from '@/db/client'
import { findDigests } from '@/db/queries/threads/find-object'
import { readStart } from '@/db/queries/threads/read-start'
import type { ThreadRow } from '@/db/queries/threads/read-thread'
import type { Json } from '@/sdk/types'
import { digestOf, initHash } from '@/server/cas/hash'
import { corrupt } from '@/server/cas/node-schema'
import { startNode } from '@/server/cas/nodes'
import { readNode } from '@/server/cas/parse-node'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { type Link, linkedContent } from './chain-top'
import { refuseAbove } from './start'

export type ForkStart = {
  link: Link
  /** Null: the start node of the source is shared. */
  stored: { body: string; refs: Hash[]; digest: Buffer } | null
  prompt: {
    hash: Hash /** Null: the prompt of the source is shared. */
    stored: { body: string; digest: Buffer } | null
  }
  parentState: Hash | null
}

/** The start node of a fork: that of its source, where nothing that it says is overridden. Throws LIMIT_EXCEEDED. */
export async function forkStart(
  db: Queryable,
  source: ThreadRow,
  given: { bundle: string; prompt?: string | undefined; input?: Json | undefined; maxRounds?: number | undefined },
): Promise<ForkStart> {
  await initHash()
  const row = await readStart(db, source.start)
  if (row === null) throw corrupt(source.start, 'the start node of a thread is missing')
  const node = readNode(row.body, source.start)
  const shared = node.refs[0]
  if (node.type !== 'start' || shared === undefined) throw corrupt(source.start, 'it is no start node')
  const { name, depth, parentState } = node.payload
  const prompt = given.prompt === undefined ? null : linkedContent(given.prompt)
  if (prompt !== null) refuseAbove('prompt', Buffer.byteLength(prompt.body))
  const input = given.input === undefined ? node.payload.input : given.input
  const start = startNode({
    name,
    bundle: hashSchema.parse(given.bundle),
    depth,
    parentState,
    prompt: prompt?.hash ?? shared,
    maxRounds: given.maxRounds ?? node.payload.maxRounds,
    input,
  })
  refuseAbove('input', start.size)
  const own = new Map(prompt === null ? [] : [[prompt.hash, prompt.digest]])
  const digests = await findDigests(db, [source.start, ...start.refs])
  const digestOfRef = (hash: Hash): Buffer => {
    const digest = own.get(hash) ?? digests.get(hash)
    if (digest === undefined) throw corrupt(hash, `it is missing, and the start node ${source.start} refers to it`)
    return digest
  }
  const kept = { hash: shared, stored: null }
  if (start.hash === source.start) {
    return { link: { hash: start.hash, digest: digestOfRef(start.hash) }, stored: null, prompt: kept, parentState }
  }
  const digest = digestOf(start.body, start.refs.map(digestOfRef))
  return {
    link: { hash: start.hash, digest },
    stored: { body: start.body, refs: start.refs, digest },
    prompt: prompt === null ? kept : { hash: prompt.hash, stored: { body: prompt.body, digest: prompt.digest } },
    parentState,
  }
}
