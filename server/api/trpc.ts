import { initTRPC } from '@trpc/server'
import { mayDo, type Permission } from '@/server/access/permissions'
import { initHash } from '@/server/cas/hash'
import { AppError } from '@/server/kernel/errors'
import type { Context } from './context'
import { errorShape, toTrpcError } from './error-shape'

/** Seconds between two pings of a stream; a client that hears nothing for three of them reconnects. */
const PING_MS = 5_000

type Meta = { permission: Permission }

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    errorFormatter: ({ error, path, ctx }) => errorShape(error, path ?? null, ctx?.requestId ?? null),
    sse: {
      ping: { enabled: true, intervalMs: PING_MS },
      client: { reconnectAfterInactivityMs: 3 * PING_MS },
    },
    isDev: false,
  })

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** The only builder of procedures: it lets in whom the permission lets in, and gives them on as `ctx.actor`. */
export function procedure(permission: Permission) {
  return t.procedure
    .meta({ permission })
    .use(async ({ next }) => {
      const result = await next()
      if (!result.ok) throw toTrpcError(result.error)
      return result
    })
    .use(async ({ ctx, next }) => {
      // Reading a stored node hashes it, and the code that reads is synchronous.
      await initHash()
      const actor = await ctx.authenticate()
      if (!mayDo(actor.role, permission)) {
        throw new AppError('FORBIDDEN', `Your role (${actor.role}) may not do this: it needs ${permission}.`, {})
      }
      return next({ ctx: { actor } })
    })
}
