import type { inferRouterOutputs } from '@trpc/server'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import type { AppRouter } from '@/server/api/root'

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>()

/** What each procedure answers, by its path. */
export type ApiOutputs = inferRouterOutputs<AppRouter>
