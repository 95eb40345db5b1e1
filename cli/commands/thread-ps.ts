import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { pageLimit, parseOptions } from '../options'
import { formatTable } from '../output/table'
import { ellipsis, printableLine } from '../output/terminal'
import { formatDuration } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const psOptions = z.object({ all: z.boolean().default(false), limit: pageLimit })

/** What runs now, newest first; with --all every thread that is not finished. */
export const ps: Handler = async (io, _args, raw) => {
  const { all, limit } = parseOptions(psOptions, raw)
  const page = await withServer(raw, (client) =>
    client.thread.list.query({ status: all ? ['running', 'queued', 'waiting', 'paused'] : ['running'], limit }),
  )
  const now = Date.now()
  io.result(page, ({ items, nextCursor }) => {
    if (items.length === 0) return all ? 'No thread is unfinished.\n' : 'Nothing runs.\n'
    const table = formatTable(
      items,
      [
        { title: 'THREAD', value: (row) => row.id },
        { title: 'WORKFLOW', value: (row) => row.workflow },
        { title: 'STATUS', value: (row) => (row.control === null ? row.status : `${row.status}, to ${row.control}`) },
        { title: 'STEPS', value: (row) => String(row.steps), align: 'right' },
        { title: 'AGE', value: (row) => formatDuration(now - Date.parse(row.createdAt)), align: 'right' },
        { title: 'RUNNER', value: (row) => row.runner ?? '' },
        { title: 'PROMPT', value: (row) => ellipsis(printableLine(row.excerpt), 50) },
      ],
      io.paint,
    )
    return nextCursor === null ? table : `${table}${io.paint('dim', `The newest ${items.length}; more: --limit`)}\n`
  })
  return EXIT_CODES.ok
}
