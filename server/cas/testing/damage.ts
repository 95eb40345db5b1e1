import { expect } from 'vitest'
import { type Database, withTransaction } from '@/db/client'
import type { ThreadId } from '@/server/kernel/ids'
import type { VerifyReport } from '@/server/threads/views'
import { verifyThread } from '../verify'

const UNDO = new Error('undo')

/** Runs `work` with a statement that changes one row behind the store's back, and takes the change back. */
export function damaging(db: Database) {
  return async (
    statement: string,
    work: (verify: (id: ThreadId) => Promise<VerifyReport>) => Promise<void>,
  ): Promise<void> => {
    try {
      await withTransaction(db, async (tx) => {
        const result = await tx.sql.unsafe(statement)
        expect(result.count, `rows changed by: ${statement}`).toBe(1)
        await work((id) => verifyThread(tx, id))
        throw UNDO
      })
    } catch (error) {
      if (error !== UNDO) throw error
    }
  }
}
