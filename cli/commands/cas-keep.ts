import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { argument, pageLimit, parseOptions } from '../options'
import { formatTable } from '../output/table'
import { printable } from '../output/terminal'
import { formatBytes, localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

export const refs: Handler = async (io, args, raw) => {
  const found = await withServer(raw, (client) => client.cas.refs.query({ hash: argument(args, 0) }))
  const lines = (title: string, items: readonly { hash: string; type: string }[]) =>
    `${io.paint('bold', title)}\n${items.map(({ hash, type }) => `  ${hash}  ${type}\n`).join('') || '  nothing\n'}`
  io.result(found, (both) => `${lines('Refers to', both.out)}${lines('Is referred to by', both.in)}`)
  return EXIT_CODES.ok
}

const pinOptions = z.object({ note: z.string().optional() })

export const pin: Handler = async (io, args, raw) => {
  const { note } = parseOptions(pinOptions, raw)
  const given = { hash: argument(args, 0), ...(note === undefined ? {} : { note }) }
  const pinned = await withServer(raw, (client) => client.cas.pin.mutate(given))
  io.result(pinned, ({ hash, owner }) => printable(`${hash} is kept for ${owner}.\n`))
  return EXIT_CODES.ok
}

export const unpin: Handler = async (io, args, raw) => {
  const unpinned = await withServer(raw, (client) => client.cas.unpin.mutate({ hash: argument(args, 0) }))
  io.result(unpinned, ({ hash }) => `${hash} is not kept by this pin any more.\n`)
  return EXIT_CODES.ok
}

const pinsOptions = z.object({ limit: pageLimit, cursor: z.string().optional() })

export const pins: Handler = async (io, _args, raw) => {
  const { limit, cursor } = parseOptions(pinsOptions, raw)
  const page = await withServer(raw, (client) => client.cas.pins.query({ limit, ...(cursor ? { cursor } : {}) }))
  io.result(page, ({ items, nextCursor }) => {
    if (items.length === 0) return 'Nothing is pinned.\n'
    const table = formatTable(
      items,
      [
        { title: 'HASH', value: (row) => row.hash },
        { title: 'TYPE', value: (row) => row.type ?? 'missing' },
        { title: 'SIZE', value: (row) => (row.size === null ? '' : formatBytes(row.size)), align: 'right' },
        { title: 'OWNER', value: (row) => row.owner },
        { title: 'SINCE', value: (row) => localDateTime(row.createdAt) },
        { title: 'NOTE', value: (row) => row.note ?? '' },
      ],
      io.paint,
    )
    return nextCursor === null ? table : `${table}${io.paint('dim', `More: --cursor ${nextCursor}`)}\n`
  })
  return EXIT_CODES.ok
}

export const remove: Handler = async (io, args, raw) => {
  const removed = await withServer(raw, (client) => client.cas.remove.mutate({ hash: argument(args, 0) }))
  io.result(removed, ({ hash }) => `${hash} is deleted.\n`)
  return EXIT_CODES.ok
}
