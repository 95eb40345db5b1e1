'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { reasonOf } from './errors'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'over' | 'refused' | 'gone'

/** Callbacks that a tRPC subscription takes, as far as they matter here. */
export type SubscriptionEvents<T> = {
  onData: (data: T) => void
  onComplete: () => void
  onError: (error: unknown) => void
  onConnectionStateChange: (state: { state: 'idle' | 'connecting' | 'pending'; error: unknown }) => void
}

/** A tab that nobody sees gives its connection back after this: a browser has only six for one HTTP/1.1 server. */
const HIDDEN_MS = 30_000
const RETRY_MS = { first: 500, most: 10_000 }

/**
 * Keeps a subscription open while `enabled` and the tab is seen, opens it again with growing pauses after an error, and
 * tells its state. `open` is called for each new connection: it must begin after what was seen before.
 */
export function useLiveSubscription<T>(options: {
  enabled: boolean
  /** A change of it begins a new subscription. */
  subject: string
  open: (events: SubscriptionEvents<T>) => { unsubscribe: () => void }
  onData: (data: T) => void
}): Connection {
  const [connection, setConnection] = useState<Connection>('connecting')
  const open = useEffectEvent(options.open)
  const onData = useEffectEvent(options.onData)
  const { enabled, subject } = options

  // biome-ignore lint/correctness/useExhaustiveDependencies: another subject is another subscription
  useEffect(() => {
    if (!enabled) return
    let subscription: { unsubscribe: () => void } | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isOver = false

    const close = () => {
      clearTimeout(timer)
      const closing = subscription
      // Unset first: unsubscribing completes at once, and that must not count as the server's end.
      subscription = null
      closing?.unsubscribe()
    }
    const connect = () => {
      close()
      const opened = open({
        onData: (data) => onData(data),
        onComplete: () => {
          if (subscription !== opened) return
          isOver = true
          setConnection('over')
        },
        onError: (error) => {
          subscription = null
          const reason = reasonOf(error)
          if (reason === 'UNAUTHORIZED' || reason === 'NOT_FOUND') {
            isOver = true
            setConnection(reason === 'UNAUTHORIZED' ? 'refused' : 'gone')
            return
          }
          failures += 1
          setConnection('reconnecting')
          timer = setTimeout(connect, Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (failures - 1)))
        },
        onConnectionStateChange: ({ state, error }) => {
          if (state === 'pending') {
            failures = 0
            setConnection('live')
          } else if (state === 'connecting' && error !== null) setConnection('reconnecting')
        },
      })
      subscription = opened
    }
    const onVisibility = () => {
      if (isOver) return
      clearTimeout(timer)
      if (document.visibilityState === 'hidden') timer = setTimeout(close, HIDDEN_MS)
      else if (subscription === null) connect()
    }

    connect()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      isOver = true
      close()
    }
  }, [enabled, subject])

  return connection
}
