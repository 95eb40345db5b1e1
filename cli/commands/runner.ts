import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { argument, parseOptions } from '../options'
import { formatTable } from '../output/table'
import { printable } from '../output/terminal'
import { localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

export const list: Handler = async (io, _args, raw) => {
  const found = await withServer(raw, (client) => client.runner.list.query({}))
  io.result(found, ({ items }) =>
    items.length === 0
      ? 'No runner is known. "cairn up" starts one.\n'
      : formatTable(
          items,
          [
            { title: 'RUNNER', value: (row) => row.id },
            { title: 'STATE', value: stateOf },
            { title: 'HOST', value: (row) => row.host },
            { title: 'PID', value: (row) => String(row.pid), align: 'right' },
            { title: 'ACTIVE', value: (row) => `${row.active}/${row.capacity}`, align: 'right' },
            { title: 'LABELS', value: (row) => row.labels.join(',') || '-' },
            { title: 'PERMISSIONS', value: (row) => row.permissions?.join(',') ?? 'all' },
            { title: 'STARTED', value: (row) => localDateTime(row.startedAt) },
            { title: 'HEARD OF', value: (row) => localDateTime(row.heartbeatAt) },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}

function stateOf(row: { alive: boolean; draining: boolean; stoppedAt: string | null }): string {
  if (row.alive) return row.draining ? 'draining' : 'alive'
  return row.stoppedAt ? 'stopped' : 'lost'
}

const drainOptions = z.object({ undo: z.boolean().default(false) })

export const drain: Handler = async (io, args, raw) => {
  const { undo } = parseOptions(drainOptions, raw)
  const done = await withServer(raw, (client) => client.runner.drain.mutate({ id: argument(args, 0), on: !undo }))
  io.result(done, ({ id, draining }) =>
    printable(draining ? `${id} claims nothing more; what it holds goes on to its end.\n` : `${id} claims threads.\n`),
  )
  return EXIT_CODES.ok
}

export const quarantines: Handler = async (io, _args, raw) => {
  const found = await withServer(raw, (client) => client.runner.quarantines.query({}))
  io.result(found, ({ items }) =>
    items.length === 0
      ? 'No version is in quarantine.\n'
      : formatTable(
          items,
          [
            { title: 'VERSION', value: (row) => row.bundle },
            { title: 'WORKFLOWS', value: (row) => row.workflows.join(',') },
            { title: 'SINCE', value: (row) => localDateTime(row.at) },
            { title: 'CRASHES', value: (row) => String(row.crashes), align: 'right' },
            { title: 'QUEUED', value: (row) => String(row.queuedThreads), align: 'right' },
            { title: 'LAST', value: (row) => row.reason },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}

const liftOptions = z.object({ note: z.string().optional() })

export const lift: Handler = async (io, args, raw) => {
  const { note } = parseOptions(liftOptions, raw)
  const reason = note === undefined ? {} : { note }
  const done = await withServer(raw, (client) => client.runner.lift.mutate({ bundle: argument(args, 0), ...reason }))
  io.result(done, ({ bundle }) => printable(`${bundle} may run again.\n`))
  return EXIT_CODES.ok
}
