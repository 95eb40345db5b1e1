import 'server-only'
import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import { TRPCError } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { headers } from 'next/headers'
import { forbidden, notFound, unauthorized } from 'next/navigation'
import { cache, type ReactNode } from 'react'
import { reasonOf } from '@/server/api/error-shape'
import { requestContext } from '@/server/api/request-context'
import { appRouter, createCaller } from '@/server/api/root'
import { makeQueryClient } from './query-client'

/** The API without HTTP, as the person who asked for the page; one for all parts of a page. */
const pageApi = cache(async () => {
  const queryClient = makeQueryClient()
  const ctx = requestContext(await headers(), 'page')
  return {
    queryClient,
    caller: createCaller(ctx),
    trpc: createTRPCOptionsProxy({ ctx, router: appRouter, queryClient }),
  }
})
type PageApi = Awaited<ReturnType<typeof pageApi>>

/** Reads what a page cannot be without. Answers 401, 403 or 404 where the API does. */
export async function readForPage<T>(read: (api: PageApi) => Promise<T>): Promise<T> {
  try {
    return await read(await pageApi())
  } catch (error) {
    const reason = error instanceof TRPCError ? reasonOf(error) : 'INTERNAL'
    if (reason === 'UNAUTHORIZED') unauthorized()
    if (reason === 'FORBIDDEN') forbidden()
    if (reason === 'NOT_FOUND') notFound()
    throw error
  }
}

/** The same for filters out of the address: one that the API refuses is left to the browser, which asks again and shows why. */
export async function readUnlessRefused(read: (api: PageApi) => Promise<unknown>): Promise<void> {
  await readForPage(async (api) => {
    try {
      await read(api)
    } catch (error) {
      if (!(error instanceof TRPCError) || reasonOf(error) !== 'BAD_INPUT') throw error
    }
  })
}

/** Hands what `prefetch` read to the browser. */
export async function Hydrated({ children }: { children: ReactNode }) {
  const { queryClient } = await pageApi()
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>
}
