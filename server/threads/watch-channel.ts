import type { Queryable } from '@/db/client'
import type { ThreadMark } from '@/db/queries/threads/read-marks'
import { type Bell, createBell } from '@/server/kernel/bell'
import { formatCursor } from './position'
import { type RecordPage, readRecordsTo } from './read-records'

/** Records that one read brings at most; also what a subscriber holds at most. */
const PAGE = 200
/** How long a page that was read serves others that ask for the same one. */
const SHARE_MS = 100

/** What all subscribers of one thread share. */
export type Channel = {
  subscribers: number
  /** Rings when `mark` changed. */
  bell: Bell
  /** How far the thread is, as the last poll saw it; null before the first, and for a thread that does not exist. */
  mark(): ThreadMark | null
  setMark(mark: ThreadMark | null): void
  /** What follows a cursor up to `mark`; asked for by many at once, it is read once. */
  page(mark: ThreadMark, after: string | null): Promise<RecordPage>
}

export function createChannel(db: Queryable): Channel {
  const bell = createBell()
  const pages = new Map<string | null, Promise<RecordPage>>()
  let current: ThreadMark | null = null

  function share(mark: ThreadMark, after: string | null): Promise<RecordPage> {
    const page = readRecordsTo(db, mark, after, PAGE)
    pages.set(after, page)
    const forget = () => {
      if (pages.get(after) === page) pages.delete(after)
    }
    page.then(() => setTimeout(forget, SHARE_MS).unref(), forget)
    return page
  }

  return {
    subscribers: 0,
    bell,
    mark: () => current,
    setMark(mark) {
      if (sameMark(current, mark)) return
      current = mark
      pages.clear()
      bell.ring()
    },
    page: (mark, after) => (mark === current ? pages.get(after) : undefined) ?? share(mark, after),
  }
}

export function cursorOf(mark: ThreadMark): string {
  return formatCursor({ height: mark.height, event: mark.eventSeq, log: mark.logSeq })
}

function sameMark(a: ThreadMark | null, b: ThreadMark | null): boolean {
  if (a === null || b === null) return a === b
  return a.head === b.head && a.status === b.status && cursorOf(a) === cursorOf(b)
}
