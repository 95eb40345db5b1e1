import { z } from 'zod'
import { LOG_LEVELS } from '@/server/threads/status'
import type { LogLine } from '@/server/threads/views'
import { EXIT_CODES } from '../exit-codes'
import { parseOptions, positiveInteger, wholeNumber } from '../options'
import { printable, printableLine } from '../output/terminal'
import { localTime } from '../output/units'
import type { Handler } from '../program'
import { threadIdOf, withServer } from '../session'

const logsOptions = z.object({
  latest: z.boolean().default(false),
  level: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).optional(),
  after: wholeNumber.default(0),
  limit: positiveInteger.optional(),
})
/** What one call brings, at most. */
const PAGE = 200

/** What a thread's workflow logged, oldest first: all of it, or the first lines after a number. With --json one line a value. */
export const logs: Handler = async (io, args, raw) => {
  const { latest, level, after, limit } = parseOptions(logsOptions, raw)
  const print = (line: LogLine) => io.out(io.json ? `${JSON.stringify(line)}\n` : `${lineText(line, io.paint)}\n`)
  return withServer(raw, async (client) => {
    const id = await threadIdOf(client, args[0], latest)
    let left = limit ?? Number.POSITIVE_INFINITY
    for (let cursor: number | null = after; cursor !== null && left > 0; ) {
      const query = { id, after: cursor, limit: Math.min(PAGE, left), ...(level === undefined ? {} : { level }) }
      const page: Awaited<ReturnType<typeof client.thread.logs.query>> = await client.thread.logs.query(query)
      page.items.forEach(print)
      left -= page.items.length
      cursor = page.finished ? null : page.cursor
    }
    return EXIT_CODES.ok
  })
}

function lineText(
  { at, level, tag, text }: LogLine,
  paint: (style: 'dim' | 'red' | 'yellow', text: string) => string,
): string {
  const said = level === 'error' ? paint('red', level) : level === 'warn' ? paint('yellow', level) : level
  return `${paint('dim', localTime(at))}  ${said}${tag === null ? '' : ` [${printableLine(tag)}]`} ${printable(text).trimEnd()}`
}
