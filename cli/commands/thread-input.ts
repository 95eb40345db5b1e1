import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { argument, parseOptions, readJson } from '../options'
import { formatTable } from '../output/table'
import { ellipsis, printableLine } from '../output/terminal'
import { localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const inputOptions = z.object({
  name: z.string().optional(),
  subject: z.string().optional(),
  wait: z.string().optional(),
})
const VALUE = { name: 'The input', example: `'"yes"'` }

/** Gives a thread an input: it answers what the thread waits for, or is kept until the thread asks. */
export const input: Handler = async (io, args, raw) => {
  const id = argument(args, 0)
  const { name, subject, wait } = parseOptions(inputOptions, raw)
  const value = await readJson(argument(args, 1), VALUE)
  const answer = await withServer(raw, (client) =>
    client.thread.input.mutate({
      id,
      value,
      ...(name === undefined ? {} : { name }),
      ...(subject === undefined ? {} : { subject }),
      ...(wait === undefined ? {} : { wait }),
    }),
  )
  io.result({ id, ...answer }, ({ effect, status }) =>
    effect === 'answered' ? `${id} is answered and ${status}.\n` : `Kept for when ${id} asks; it is ${status}.\n`,
  )
  return EXIT_CODES.ok
}

export const inputs: Handler = async (io, args, raw) => {
  const id = argument(args, 0)
  const found = await withServer(raw, (client) => client.thread.inputs.query({ id }))
  io.result(found, ({ items }) =>
    items.length === 0
      ? 'No input was given.\n'
      : formatTable(
          items,
          [
            { title: 'NR', value: (row) => String(row.seq), align: 'right' },
            { title: 'NAME', value: (row) => row.name },
            { title: 'BY', value: (row) => row.actor },
            { title: 'AT', value: (row) => localDateTime(row.at) },
            { title: 'BECAME', value: becameOf },
            { title: 'VALUE', value: (row) => ellipsis(printableLine(JSON.stringify(row.value)), 60) },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}

function becameOf(row: { wait: string | null; rejected: string | null }): string {
  if (row.rejected !== null) return `refused: ${ellipsis(printableLine(row.rejected), 60)}`
  return row.wait === null ? 'kept' : 'an answer'
}

export const waits: Handler = async (io, args, raw) => {
  const id = argument(args, 0)
  const found = await withServer(raw, (client) => client.thread.waits.query({ id }))
  io.result(found, ({ items }) =>
    items.length === 0
      ? 'It has waited for nothing.\n'
      : formatTable(
          items,
          [
            { title: 'WAIT', value: (row) => row.key },
            { title: 'KIND', value: (row) => row.kind },
            { title: 'NAME', value: (row) => (row.kind === 'input' ? row.name : '') },
            { title: 'STATUS', value: (row) => row.status },
            { title: 'UNTIL', value: (row) => (row.wakeAt === null ? '' : localDateTime(row.wakeAt)) },
            { title: 'ANSWERED BY', value: (row) => row.answeredBy ?? '' },
            { title: 'ASKS', value: (row) => ellipsis(printableLine(row.prompt ?? row.targets.join(', ')), 60) },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}
