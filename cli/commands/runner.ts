import { EXIT_CODES } from '../exit-codes'
import { formatTable } from '../output/table'
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
            { title: 'STATE', value: (row) => (row.alive ? 'alive' : row.stoppedAt ? 'stopped' : 'lost') },
            { title: 'HOST', value: (row) => row.host },
            { title: 'PID', value: (row) => String(row.pid), align: 'right' },
            { title: 'ACTIVE', value: (row) => `${row.active}/${row.capacity}`, align: 'right' },
            { title: 'STARTED', value: (row) => localDateTime(row.startedAt) },
            { title: 'HEARD OF', value: (row) => localDateTime(row.heartbeatAt) },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}
