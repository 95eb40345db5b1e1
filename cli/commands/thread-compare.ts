import { z } from 'zod'
import type { CompareStep, Comparison } from '@/server/threads/views'
import { EXIT_CODES } from '../exit-codes'
import type { Io } from '../io'
import { argument, pageLimit, parseOptions, wholeNumber } from '../options'
import { formatTable } from '../output/table'
import { ellipsis, printableLine } from '../output/terminal'
import { count } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const compareOptions = z.object({ after: wholeNumber.optional(), limit: pageLimit })

/** Where two threads part, and what differs from there on. Exits 1 when anything does, as diff does. */
export const compare: Handler = async (io, args, raw) => {
  const { after, limit } = parseOptions(compareOptions, raw)
  const [a, b] = [argument(args, 0), argument(args, 1)]
  const comparison = await withServer(raw, (client) =>
    client.thread.compare.query({ a, b, limit, ...(after === undefined ? {} : { after }) }),
  )
  io.result(comparison, (result) => comparisonText(io, result))
  return comparison.identical ? EXIT_CODES.ok : EXIT_CODES.failed
}

function comparisonText(io: Io, { shared, identical, sides, rows, next }: Comparison): string {
  const side = (name: string, { id, workflow, status, steps }: Comparison['sides']['a']) =>
    printableLine(`${name}  ${id}  ${workflow}, ${status}, ${count(steps, 'step')}`)
  const lines = [side('a', sides.a), side('b', sides.b)]
  lines.push(
    shared.hash === null ? 'They share no node.' : `They share ${count(shared.steps, 'step')}, up to ${shared.hash}.`,
  )
  if (identical) lines.push('Neither has a step that the other has not.')
  const table = formatTable(
    rows,
    [
      { title: 'STEP', value: (row) => String(row.step), align: 'right' },
      { title: 'DIFFERS', value: (row) => row.differs.join(', ') },
      { title: 'A', value: (row) => stepText(row.a) },
      { title: 'B', value: (row) => stepText(row.b) },
    ],
    io.paint,
  )
  const more = next === null ? '' : `${io.paint('dim', `More: --after ${next}`)}\n`
  return `${lines.join('\n')}\n${rows.length === 0 ? '' : table}${more}`
}

function stepText(step: CompareStep | null): string {
  return step === null ? '' : `${step.role}: ${ellipsis(printableLine(step.content), 50)}`
}
