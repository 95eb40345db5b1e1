import { z } from 'zod'
import type { ThreadSummary } from '@/server/threads/views'
import { EXIT_CODES } from '../exit-codes'
import type { Io } from '../io'
import { argument, pageLimit, parseOptions } from '../options'
import { formatTable } from '../output/table'
import { ellipsis, printableLine } from '../output/terminal'
import { localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const pageOptions = z.object({ forks: z.boolean().default(false), limit: pageLimit, cursor: z.string().optional() })

/** Threads that a thread started, or with --forks those that were forked from it; newest first. */
export const children: Handler = async (io, args, raw) => {
  const { forks, limit, cursor } = parseOptions(pageOptions, raw)
  const query = { id: argument(args, 0), limit, ...(cursor === undefined ? {} : { cursor }) }
  const page = await withServer(raw, (client) =>
    forks ? client.thread.forks.query(query) : client.thread.children.query(query),
  )
  io.result(page, ({ items, nextCursor }) =>
    pageText(io, items, nextCursor, forks ? 'It has no forks.' : 'It has no children.'),
  )
  return EXIT_CODES.ok
}

function pageText(io: Io, items: readonly ThreadSummary[], nextCursor: string | null, none: string): string {
  if (items.length === 0) return `${none}\n`
  const table = formatTable(
    items,
    [
      { title: 'THREAD', value: (row) => row.id },
      { title: 'WORKFLOW', value: (row) => row.workflow },
      { title: 'STATUS', value: (row) => row.status },
      { title: 'STEPS', value: (row) => String(row.steps), align: 'right' },
      { title: 'CREATED', value: (row) => localDateTime(row.createdAt) },
      { title: 'SUMMARY', value: (row) => ellipsis(printableLine(row.summary ?? row.excerpt), 60) },
    ],
    io.paint,
  )
  return nextCursor === null ? table : `${table}${io.paint('dim', `More: --cursor ${nextCursor}`)}\n`
}
