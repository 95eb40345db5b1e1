import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import { parseOptions, positiveInteger } from '../options'
import { formatTable } from '../output/table'
import { count, formatBytes, formatDuration, localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const gcOptions = z.object({ dryRun: z.boolean().default(false), grace: positiveInteger.optional() })

/** Between two looks at a collection that takes long. */
const LOOK_MS = 1_000

export const gc: Handler = async (io, _args, raw) => {
  const { dryRun, grace } = parseOptions(gcOptions, raw)
  const given = { dryRun, ...(grace === undefined ? {} : { graceSeconds: grace }) }
  return withServer(raw, async (client) => {
    let run = await client.cas.gc.mutate(given)
    while (run.phase !== 'done' && run.underWay) {
      io.note(`${run.phase}: ${count(run.objects, 'object')} deleted so far\n`)
      await pause(LOOK_MS)
      const { items } = await client.cas.gcRuns.query({})
      run = items.find((item) => item.id === run.id) ?? run
    }
    if (run.phase !== 'done') {
      throw new CliError(
        EXIT_CODES.failed,
        `Collection ${run.id} was interrupted while it was ${run.phase}. Nothing is damaged; run "cairn cas gc" again.`,
      )
    }
    io.result(run, ({ objects, bytes, marked }) => {
      const gone = `${count(objects, 'object')} (${formatBytes(bytes)})`
      return dryRun ? `Would delete ${gone}; ${marked} are in use.\n` : `Deleted ${gone}; ${marked} were in use.\n`
    })
    return EXIT_CODES.ok
  })
}

export const gcRuns: Handler = async (io, _args, raw) => {
  const found = await withServer(raw, (client) => client.cas.gcRuns.query({}))
  io.result(found, ({ items }) =>
    items.length === 0
      ? 'Nothing was collected yet.\n'
      : formatTable(
          items,
          [
            { title: 'RUN', value: (row) => String(row.id), align: 'right' },
            { title: 'STATE', value: stateOf },
            { title: 'STARTED', value: (row) => localDateTime(row.startedAt) },
            { title: 'TOOK', value: took, align: 'right' },
            { title: 'IN USE', value: (row) => String(row.marked), align: 'right' },
            { title: 'DELETED', value: (row) => `${row.objects}${row.dryRun ? ' (dry run)' : ''}`, align: 'right' },
            { title: 'SIZE', value: (row) => formatBytes(row.bytes), align: 'right' },
            { title: 'BY', value: (row) => row.actor },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}

function stateOf(row: { phase: string; underWay: boolean }): string {
  return row.underWay || row.phase === 'done' || row.phase === 'abandoned' ? row.phase : 'interrupted'
}

function took(row: { startedAt: string; finishedAt: string | null }): string {
  return row.finishedAt === null ? '' : formatDuration(Date.parse(row.finishedAt) - Date.parse(row.startedAt))
}
