import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { parseOptions } from '../options'
import { formatTable } from '../output/table'
import { printableLine } from '../output/terminal'
import { count } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const invariantsOptions = z.object({ deep: z.boolean().default(false) })

/** Exits 1 when one is violated. */
export const invariants: Handler = async (io, _args, raw) => {
  const { deep } = parseOptions(invariantsOptions, raw)
  const report = await withServer(raw, (client) => client.system.invariants.query({ deep }))
  io.result(report, ({ items, ok }) => {
    const lines = items.flatMap((item) => [
      `${item.ok ? io.paint('green', 'ok  ') : io.paint('red', 'FAIL')} ${item.title}`,
      ...item.violations.map(({ id, message }) => `       ${printableLine(`${id}: ${message}`)}`),
      ...(item.truncated ? ['       and more'] : []),
    ])
    const failed = items.filter((item) => !item.ok).length
    return [...lines, ok ? `All ${items.length} hold.` : `${failed} of ${items.length} do not hold.`, ''].join('\n')
  })
  return report.ok ? EXIT_CODES.ok : EXIT_CODES.failed
}

const rebuildOptions = z.object({ apply: z.boolean().default(false) })

/** Asks slice by slice until all threads were looked at. Exits 1 when something differs that was not mended, or is undecided. */
export const rebuild: Handler = async (io, _args, raw) => {
  const { apply } = parseOptions(rebuildOptions, raw)
  const report = await withServer(raw, async (client) => {
    const whole = await client.system.rebuild.mutate({ apply })
    for (let after = whole.next; after !== null; ) {
      io.note(`${count(whole.threads.checked, 'thread')} looked at\n`)
      const { threads, next } = await client.system.rebuild.mutate({ apply, after })
      whole.threads.checked += threads.checked
      whole.threads.differing.push(...threads.differing)
      whole.threads.undecided.push(...threads.undecided)
      after = next
    }
    const { threads, workflows } = whole
    return { threads, workflows }
  })
  const differing = [...report.workflows.differing, ...report.threads.differing]
  const undecided = [...report.workflows.undecided, ...report.threads.undecided]
  io.result(report, ({ threads, workflows }) => {
    const table = formatTable(
      differing,
      [
        { title: 'ROW', value: (row) => row.id },
        { title: 'COLUMN', value: (row) => row.column },
        { title: 'STORED', value: (row) => row.stored ?? '-' },
        { title: apply ? 'WRITTEN' : 'REBUILT', value: (row) => row.rebuilt ?? '-' },
      ],
      io.paint,
    )
    return [
      ...(differing.length > 0 ? [table.trimEnd()] : []),
      ...undecided.map(({ id, why }) => printableLine(`${io.paint('yellow', 'left as it is:')} ${id}: ${why}`)),
      `${count(threads.checked, 'thread')} and ${count(workflows.checked, 'workflow')} looked at: ${
        differing.length === 0
          ? 'nothing differs'
          : `${count(differing.length, 'column')} ${apply ? 'mended' : 'found to differ: mend with --apply'}`
      }.`,
      '',
    ].join('\n')
  })
  const left = undecided.length + (apply ? 0 : differing.length)
  return left === 0 ? EXIT_CODES.ok : EXIT_CODES.failed
}
