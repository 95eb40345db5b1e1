import { tracked } from '@trpc/server'
import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { cursorSchema, threadRecordSchema } from '@/server/threads/records'
import { trackedStreamOf } from '../stream-output'
import { procedure } from '../trpc'

/** Every record of a thread, from the beginning or from after `lastEventId`, and then each new one; over after `end`. */
export const watch = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema, lastEventId: cursorSchema.nullish() }))
  .output(trackedStreamOf(threadRecordSchema))
  .subscription(async function* ({ ctx, input, signal }) {
    for await (const record of ctx.hub.watchThread(input.id, input.lastEventId ?? null, signal)) {
      yield tracked(record.cursor, record)
    }
  })
