import { basename } from 'node:path'
import { z } from 'zod'
import { buildBundle } from '@/server/registry/build'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import { addGrants, formatGrants, parseGrant } from '../grants'
import { formatLimits } from '../limits'
import { argument, pageLimit, parseOptions, readInput } from '../options'
import { formatTable } from '../output/table'
import { printable, printableLine } from '../output/terminal'
import { formatBytes, localDateTime } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const addOptions = z.object({
  note: z.string().optional(),
  types: z.string().optional(),
  grant: z.array(z.string()),
})

export const add: Handler = async (io, args, raw) => {
  const options = parseOptions(addOptions, raw)
  const [name, file] = [argument(args, 0), argument(args, 1)]
  const grants = options.grant.map((text) => parseGrant(text, process.cwd()))
  const bundle = await readBundle(file, io.note)
  const types = options.types === undefined ? undefined : decodeUtf8(await readInput(options.types), options.types)
  const added = await withServer(raw, (client) =>
    client.workflow.add.mutate({
      name,
      ...bundle,
      ...(types === undefined ? {} : { types }),
      ...(options.note === undefined ? {} : { note: options.note }),
      ...(grants.length === 0 ? {} : { grants: addGrants({ exec: [] }, grants) }),
    }),
  )
  io.result(added, ({ hash, created, warnings }) =>
    [
      created ? `${name} is now ${hash}.` : `${name} is ${hash} already; nothing changed.`,
      ...warnings.map((warning) => `${io.paint('yellow', 'warning:')} ${printable(warning)}`),
      '',
    ].join('\n'),
  )
  return EXIT_CODES.ok
}

/** A bundle as it is, or built from its TypeScript entry. */
async function readBundle(file: string, note: (text: string) => void): Promise<{ fileName: string; source: string }> {
  if (!/\.[cm]?tsx?$/.test(file)) {
    return { fileName: basename(file), source: decodeUtf8(await readInput(file), file) }
  }
  const built = await buildBundle(file)
  note(`Built ${file}: ${built.hash}, ${formatBytes(Buffer.byteLength(built.code))}.\n`)
  return { fileName: basename(file).replace(/\.[cm]?tsx?$/, '.esm.js'), source: built.code }
}

function decodeUtf8(bytes: Buffer, file: string): string {
  try {
    // A byte order mark is part of the bytes that are hashed, so it stays.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new CliError(EXIT_CODES.usage, `${file} is not UTF-8 text. Save it as UTF-8.`, { cause: error })
  }
}

const listOptions = z.object({ limit: pageLimit })

export const list: Handler = async (io, _args, raw) => {
  const { limit } = parseOptions(listOptions, raw)
  const page = await withServer(raw, (client) => client.workflow.list.query({ limit }))
  io.result(page, ({ items }) =>
    items.length === 0
      ? 'No workflow is registered. Add one with "cairn workflow add <name> <file>".\n'
      : formatTable(
          items,
          [
            { title: 'NAME', value: (row) => row.name },
            { title: 'CURRENT', value: (row) => row.current },
            { title: 'ROLES', value: (row) => String(row.roles), align: 'right' },
            { title: 'UPDATED', value: (row) => localDateTime(row.updatedAt) },
            { title: 'DESCRIPTION', value: (row) => row.description },
          ],
          io.paint,
        ),
  )
  return EXIT_CODES.ok
}

export const show: Handler = async (io, args, raw) => {
  const detail = await withServer(raw, (client) => client.workflow.get.query({ name: argument(args, 0) }))
  io.result(detail, (it) => {
    const { paint } = io
    const roles = Object.entries(it.descriptor.roles).map(
      ([role, { description }]) => `  ${paint('cyan', printableLine(role))}  ${printableLine(description)}`,
    )
    const edges = it.descriptor.graph.edges.map(({ from, to, condition }) =>
      printableLine(`${from} → ${to}  (${condition})`),
    )
    const grants = formatGrants(it.grants)
    const versions = it.versions.map((version) =>
      printable(
        `${version.isCurrent ? '*' : ' '} ${version.hash}  ${localDateTime(version.addedAt)}  ${formatBytes(version.size)}  ${version.addedBy}${version.note ? `  ${printableLine(version.note)}` : ''}`,
      ),
    )
    return [
      `${paint('bold', it.name)} ${it.current} (${it.state})`,
      printable(it.descriptor.description),
      '',
      'Roles',
      ...roles,
      'Routes',
      ...edges.map((line) => `  ${line}`),
      'Grants',
      ...(grants.length ? grants : ['none']).map((line) => `  ${printableLine(line)}`),
      ...(it.missingGrants.length
        ? [`  ${paint('yellow', `asked for, not granted: ${it.missingGrants.join(', ')}`)}`]
        : []),
      'Limits',
      ...formatLimits(it.limits).map((line) => `  ${line}`),
      'Versions',
      ...versions.map((line) => `  ${line}`),
      '',
    ].join('\n')
  })
  return EXIT_CODES.ok
}

export const history: Handler = async (io, args, raw) => {
  const { limit } = parseOptions(listOptions, raw)
  const page = await withServer(raw, (client) => client.workflow.history.query({ name: argument(args, 0), limit }))
  io.result(page, ({ items }) =>
    formatTable(
      items,
      [
        { title: 'WHEN', value: (row) => localDateTime(row.at) },
        { title: 'WHAT', value: (row) => row.type.replaceAll('_', ' ') },
        { title: 'BEFORE', value: (row) => row.before ?? '-' },
        { title: 'AFTER', value: (row) => row.after ?? '-' },
        { title: 'BY', value: (row) => row.actor },
        { title: 'RUNS', value: (row) => `${row.threads.completed}/${row.threads.total} ok`, align: 'right' },
        { title: 'NOTE', value: (row) => row.note ?? '' },
      ],
      io.paint,
    ),
  )
  return EXIT_CODES.ok
}

const rollbackOptions = z.object({ note: z.string().optional() })

export const rollback: Handler = async (io, args, raw) => {
  const { note } = parseOptions(rollbackOptions, raw)
  const [name, hash] = [argument(args, 0), args[1]]
  const done = await withServer(raw, (client) =>
    client.workflow.rollback.mutate({ name, ...(hash ? { hash } : {}), ...(note === undefined ? {} : { note }) }),
  )
  io.result(done, ({ from, to }) => `${name} went back from ${from} to ${to}.\n`)
  return EXIT_CODES.ok
}
