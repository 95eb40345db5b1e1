import type { Queryable } from '@/db/client'
import type { ContentRow } from '@/db/queries/threads/append-steps'
import { findContent, findDigests } from '@/db/queries/threads/find-object'
import { digestOf } from '@/server/cas/hash'
import { contentNode, type Encoded } from '@/server/cas/nodes'
import { AppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import type { Lease } from './lease'

/** What a state node needs to know of the content that it names. */
export type Content = { hash: Hash; digest: Buffer; refs: readonly Hash[] }

/**
 * Contents that a run has put and nobody has stored yet: they go into the statement that appends the next step. Also finds
 * contents that are stored already.
 */
export class PendingContents {
  private readonly contents = new Map<string, { content: Content; row: ContentRow }>()
  private characters = 0

  constructor(
    private readonly db: Queryable,
    private readonly lease: Lease,
  ) {}

  /** Characters of canonical text that wait. */
  get size(): number {
    return this.characters
  }

  /** Throws MISSING_REF when a ref is neither pending nor stored. */
  async put(node: Encoded): Promise<Content> {
    const content = { hash: node.hash, digest: digestOf(node.body, await this.digests(node.refs)), refs: node.refs }
    const row = {
      thread: this.lease.thread,
      token: this.lease.token,
      hash: node.hash,
      refs: node.refs,
      digest: content.digest.toString('hex'),
      body: node.body,
    }
    this.contents.set(node.hash, { content, row })
    this.characters += node.body.length
    return content
  }

  /** The content that an end node names: there is nothing to say beside its meta. */
  putEmpty(): Promise<Content> {
    return this.put(contentNode('', []))
  }

  async find(hash: Hash): Promise<Content | undefined> {
    const pending = this.contents.get(hash)
    if (pending !== undefined) return pending.content
    const stored = await findContent(this.db, hash)
    // Refs of a stored content were hashes when it was put.
    return stored && { hash, digest: stored.digest, refs: stored.refs as Hash[] }
  }

  /** Canonical text of a content node, pending or stored. */
  async body(hash: Hash): Promise<string | undefined> {
    return this.contents.get(hash)?.row.body ?? (await findContent(this.db, hash))?.body
  }

  rows(): ContentRow[] {
    return [...this.contents.values()].map(({ row }) => row)
  }

  clear(): void {
    this.contents.clear()
    this.characters = 0
  }

  private async digests(hashes: readonly Hash[]): Promise<Buffer[]> {
    if (hashes.length === 0) return []
    const stored = await findDigests(this.db, hashes)
    return hashes.map((hash) => {
      const digest = this.contents.get(hash)?.content.digest ?? stored.get(hash)
      if (digest !== undefined) return digest
      const message = `The content refers to ${hash}, which is not stored. Store it first.`
      throw new AppError('MISSING_REF', message, { refs: [hash] })
    })
  }
}
