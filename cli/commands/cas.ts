import { isUtf8 } from 'node:buffer'
import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import { argument, pageLimit, parseOptions, readInput, readStdin } from '../options'
import { formatTable } from '../output/table'
import { printable } from '../output/terminal'
import { localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const OBJECT_TYPES = ['blob', 'content', 'group', 'start', 'state'] as const

const putOptions = z.object({
  mediaType: z.string().default('application/octet-stream'),
  text: z.boolean().default(false),
  ref: z.array(z.string()),
})

export const put: Handler = async (io, args, raw) => {
  const { mediaType, text, ref } = parseOptions(putOptions, raw)
  if (ref.length > 0 && !text) throw new CliError(EXIT_CODES.usage, 'Raw bytes have no refs: --ref needs --text.')
  const bytes = args[0] === undefined || args[0] === '-' ? await readStdin() : await readInput(args[0])
  if (text && !isUtf8(bytes)) {
    throw new CliError(EXIT_CODES.usage, 'These bytes are not UTF-8 text. Store them without --text.')
  }
  const stored = await withServer(raw, (client) =>
    client.cas.put.mutate(
      text ? { text: bytes.toString('utf8'), refs: ref } : { base64: bytes.toString('base64'), mediaType },
    ),
  )
  io.result(stored, ({ hash }) => `${hash}\n`)
  return EXIT_CODES.ok
}

const getOptions = z.object({ out: z.string().optional(), node: z.boolean().default(false) })
const contentNodeSchema = z.object({ type: z.literal('content'), payload: z.string() })

export const get: Handler = async (io, args, raw) => {
  const { out, node } = parseOptions(getOptions, raw)
  const object = await withServer(raw, (client) => client.cas.get.query({ hash: argument(args, 0) }))
  if (io.json && out === undefined) {
    io.result(object, () => '')
    return EXIT_CODES.ok
  }
  const bytes = bytesOf(object, node)
  if (out !== undefined) await writeFile(out, bytes)
  else if (!io.isTerminal) io.out(bytes)
  else if (isUtf8(bytes) && !bytes.includes(0)) io.out(printable(bytes.toString('utf8')).replace(/\n?$/, '\n'))
  else
    throw new CliError(
      EXIT_CODES.usage,
      `These are ${bytes.length} bytes that are not text. Write them to a file with -o, or into a pipe.`,
    )
  return EXIT_CODES.ok
}

/** The bytes of a blob, the text of a content node, the canonical JSON of any other node, and of every node with --node. */
function bytesOf(object: { type: string; body: string | null; base64: string | null }, node: boolean): Buffer {
  if (object.body === null) return Buffer.from(object.base64 ?? '', 'base64')
  if (object.type !== 'content' || node) return Buffer.from(object.body, 'utf8')
  return Buffer.from(contentNodeSchema.parse(JSON.parse(object.body)).payload, 'utf8')
}

const listOptions = z.object({
  type: z.enum(OBJECT_TYPES, `must be one of ${OBJECT_TYPES.join(', ')}`).optional(),
  limit: pageLimit,
  cursor: z.string().optional(),
})

export const list: Handler = async (io, _args, raw) => {
  const { type, limit, cursor } = parseOptions(listOptions, raw)
  const page = await withServer(raw, (client) =>
    client.cas.list.query({ limit, ...(type ? { type } : {}), ...(cursor ? { cursor } : {}) }),
  )
  io.result(page, ({ items, nextCursor }) => {
    const table = formatTable(
      items,
      [
        { title: 'HASH', value: (row) => row.hash },
        { title: 'TYPE', value: (row) => row.type },
        { title: 'BYTES', value: (row) => String(row.size), align: 'right' },
        { title: 'REFS', value: (row) => String(row.refs.length), align: 'right' },
        { title: 'STORED', value: (row) => localDateTime(row.createdAt) },
        { title: 'MEDIA TYPE', value: (row) => row.mediaType ?? '' },
      ],
      io.paint,
    )
    return nextCursor === null ? table : `${table}${io.paint('dim', `More: --cursor ${nextCursor}`)}\n`
  })
  return EXIT_CODES.ok
}
