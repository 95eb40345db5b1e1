'use client'

import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { coalesce } from './coalesce'
import { useTRPCClient } from './context'
import { type Connection, useLiveSubscription } from './live-subscription'

/**
 * Asks again for what is on the page under `queryKey` whenever some thread changed, and after each reconnect, since
 * ticks may have been missed.
 */
export function useLiveRefetch(queryKey: QueryKey): Connection {
  const client = useTRPCClient()
  const queryClient = useQueryClient()
  const refetch = useMemo(
    () => coalesce(() => queryClient.refetchQueries({ queryKey, type: 'active' })),
    [queryClient, queryKey],
  )
  const connection = useLiveSubscription<unknown>({
    enabled: true,
    subject: 'threads',
    open: (events) => client.thread.watchList.subscribe({}, events),
    onData: refetch,
  })
  useEffect(() => {
    if (connection === 'live') refetch()
  }, [connection, refetch])
  return connection
}
