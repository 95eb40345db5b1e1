import { z } from 'zod'
import type { ThreadRecord } from '@/server/threads/records'
import { THREAD_STATUSES } from '@/server/threads/status'
import type { Client } from '../client'
import { EXIT_CODES } from '../exit-codes'
import { pageLimit, parseOptions } from '../options'
import { recordLines } from '../output/record-lines'
import { stackLines } from '../output/stack-lines'
import { formatTable } from '../output/table'
import { ellipsis, printable, printableLine } from '../output/terminal'
import { threadLines } from '../output/thread-lines'
import { count, formatBytes, formatDuration, localDateTime } from '../output/units'
import type { Handler } from '../program'
import { threadIdOf, withServer } from '../session'

const listOptions = z.object({
  workflow: z.string().optional(),
  status: z.array(z.enum(THREAD_STATUSES, `must be one of ${THREAD_STATUSES.join(', ')}`)),
  tag: z.string().optional(),
  text: z.string().optional(),
  limit: pageLimit,
  cursor: z.string().optional(),
})

export const list: Handler = async (io, _args, raw) => {
  const { status, ...filters } = parseOptions(listOptions, raw)
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  const page = await withServer(raw, (client) =>
    client.thread.list.query({ ...given, limit: filters.limit, ...(status.length ? { status } : {}) }),
  )
  io.result(page, ({ items, nextCursor }) => {
    if (items.length === 0) return 'No threads. Start one with "cairn run <workflow> -p …".\n'
    const table = formatTable(
      items,
      [
        { title: 'THREAD', value: (row) => row.id },
        { title: 'WORKFLOW', value: (row) => row.workflow },
        { title: 'STATUS', value: (row) => row.status },
        { title: 'STEPS', value: (row) => String(row.steps), align: 'right' },
        { title: 'CREATED', value: (row) => localDateTime(row.createdAt) },
        { title: 'BY', value: (row) => row.actor },
        { title: 'PROMPT', value: (row) => ellipsis(printableLine(row.excerpt), 50) },
      ],
      io.paint,
    )
    return nextCursor === null ? table : `${table}${io.paint('dim', `More: --cursor ${nextCursor}`)}\n`
  })
  return EXIT_CODES.ok
}

const showOptions = z.object({ latest: z.boolean().default(false), role: z.string().optional() })

export const show: Handler = async (io, args, raw) => {
  const { latest, role } = parseOptions(showOptions, raw)
  const { thread, stack, records } = await withServer(raw, async (client) => {
    const id = await threadIdOf(client, args[0], latest)
    const [detail, calls, all] = await Promise.all([
      client.thread.get.query({ id }),
      client.thread.callStack.query({ id }),
      readAll(client, id),
    ])
    const steps = all.filter((record) => record.kind !== 'step' || role === undefined || record.role === role)
    return { thread: detail, stack: calls, records: io.debug ? steps : steps.filter((record) => record.kind !== 'log') }
  })
  io.result({ thread, stack, records }, () => {
    const prompt = printable(thread.prompt).trimEnd().split('\n')
    const lines = records.flatMap((record) => recordLines(record, { paint: io.paint, role, debug: io.debug }))
    return `${[io.paint('bold', thread.id), ...threadLines(thread), ...stackLines(stack), '', ...prompt, '', ...lines].join('\n')}\n`
  })
  return EXIT_CODES.ok
}

async function readAll(client: Client, id: string): Promise<ThreadRecord[]> {
  const records: ThreadRecord[] = []
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<Client['thread']['records']['query']>> = await client.thread.records.query({
      id,
      limit: 200,
      ...(after === null ? {} : { after }),
    })
    records.push(...page.items)
    after = page.cursor
    if (page.items.length === 0 || page.finished) return records
  }
}

const verifyOptions = z.object({ latest: z.boolean().default(false) })

export const verify: Handler = async (io, args, raw) => {
  const { latest } = parseOptions(verifyOptions, raw)
  const { id, report } = await withServer(raw, async (client) => {
    const thread = await threadIdOf(client, args[0], latest)
    return { id: thread, report: await client.thread.verify.query({ id: thread }) }
  })
  io.result({ id, ...report }, () => {
    const facts = `${count(report.nodes, 'object')}, ${formatBytes(report.bytes)}, ${formatDuration(report.durationMs)}`
    if (report.ok) return `${io.paint('green', 'ok')}  ${id}  ${facts}\nhead digest ${report.headDigest ?? '-'}\n`
    const findings = report.findings.map(({ hash, type, problem, message }) =>
      printableLine(`${hash}  ${type}  ${problem}: ${message}`),
    )
    const affected = report.affectedThreads.length ? [`affected threads: ${report.affectedThreads.join(', ')}`] : []
    return `${[`${io.paint('red', 'damaged')}  ${id}  ${facts}`, ...findings, ...affected].join('\n')}\n`
  })
  return report.ok ? EXIT_CODES.ok : EXIT_CODES.failed
}
