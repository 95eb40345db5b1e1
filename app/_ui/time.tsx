'use client'

import { useSyncExternalStore } from 'react'
import { formatAgo, formatDuration, formatUntil, formatUtc } from './format'

/** One clock for the page: all relative times tick together. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => now,
    () => Date.now(),
  )
}

/** A moment, as how long ago it was; the exact UTC time on hover. */
export function Ago({ at, className }: { at: string; className?: string }) {
  const current = useNow()
  return (
    <time dateTime={at} title={formatUtc(at)} className={className} suppressHydrationWarning>
      {formatAgo(at, current)}
    </time>
  )
}

/** A moment that is to come, as how long it takes till then; the exact UTC time on hover. */
export function Until({ at, className }: { at: string; className?: string }) {
  const current = useNow()
  return (
    <time dateTime={at} title={formatUtc(at)} className={className} suppressHydrationWarning>
      {formatUntil(at, current)}
    </time>
  )
}

const subscribeNever = () => () => {}

/** A moment as clock time in the reader's zone; the server, which does not know the zone, writes it in UTC. */
export function ClockTime({ at, withDate = false, className }: { at: string; withDate?: boolean; className?: string }) {
  const inBrowser = useSyncExternalStore(
    subscribeNever,
    () => true,
    () => false,
  )
  const text = new Date(at).toLocaleString('en-GB', {
    ...(withDate ? { day: '2-digit', month: 'short', year: 'numeric' } : {}),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(inBrowser ? {} : { timeZone: 'UTC' }),
  })
  return (
    <time dateTime={at} title={formatUtc(at)} className={className}>
      {text}
    </time>
  )
}

/** The time from `from` until `to`, or until now while `to` is null. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  return to === null ? (
    <ElapsedLive from={from} />
  ) : (
    <span title={`until ${formatUtc(to)}`}>{formatDuration(Date.parse(to) - Date.parse(from))}</span>
  )
}

function ElapsedLive({ from }: { from: string }) {
  const current = useNow()
  return (
    <span title={`since ${formatUtc(from)}`} suppressHydrationWarning>
      {formatDuration(Math.floor((current - Date.parse(from)) / 1000) * 1000)}
    </span>
  )
}
