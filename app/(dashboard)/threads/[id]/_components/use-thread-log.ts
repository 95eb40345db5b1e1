'use client'

import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { useTRPCClient } from '@/app/_trpc/context'
import { type Connection, useLiveSubscription } from '@/app/_trpc/live-subscription'
import type { ThreadRecord } from '@/server/threads/records'
import { addRecords, EMPTY_LOG, isOver, type ThreadLog } from '../_model/thread-log'

/** Records are put on the page together this often: a fast thread sends hundreds a second. */
const FLUSH_MS = 80

type LiveLog = {
  log: ThreadLog
  connection: Connection
  /** Reads on after the end: the thread was retried. */
  readOn: () => void
}

/** Reads a thread from `first`, the records that came with the page, to its end, live; resumes after the newest record. */
export function useThreadLog(id: string, first: readonly ThreadRecord[]): LiveLog {
  const client = useTRPCClient()
  const [log, add] = useReducer(addRecords, EMPTY_LOG, (empty) => addRecords(empty, first))
  const buffer = useRef<ThreadRecord[]>([])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const resumeAt = useRef(log.cursor)
  useEffect(() => () => clearTimeout(timer.current), [])

  // Hash of the end that is known not to be the end any more.
  const [passed, setPassed] = useState<string | null>(null)
  const newestEnd = log.end?.hash ?? null
  const readOn = useCallback(() => setPassed(newestEnd), [newestEnd])
  const over = isOver(log) && newestEnd !== passed
  const connection = useLiveSubscription<{ id: string; data: ThreadRecord }>({
    enabled: !over,
    subject: id,
    open: (events) =>
      client.thread.watch.subscribe(
        { id, ...(resumeAt.current === null ? {} : { lastEventId: resumeAt.current }) },
        events,
      ),
    onData: ({ data }) => {
      resumeAt.current = data.cursor
      buffer.current.push(data)
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        add(buffer.current.splice(0))
      }, FLUSH_MS)
    },
  })
  return { log, connection: over ? 'over' : connection, readOn }
}
