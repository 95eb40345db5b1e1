import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { changeLimits, formatLimits } from '../limits'
import { argument, parseOptions } from '../options'
import { printable } from '../output/terminal'
import type { Handler } from '../program'
import { withServer } from '../session'

const limitsOptions = z.object({ set: z.array(z.string()), unset: z.array(z.string()), note: z.string().optional() })

/** Shows the limits, or changes them; refused as a conflict when somebody else changed the workflow at the same moment. */
export const limits: Handler = async (io, args, raw) => {
  const name = argument(args, 0)
  const { set, unset, note } = parseOptions(limitsOptions, raw)
  const done = await withServer(raw, async (client) => {
    const now = await client.workflow.get.query({ name })
    if (set.length + unset.length === 0) return { name, limits: now.limits, version: now.version }
    const wanted = changeLimits(now.limits, set, unset)
    const reason = note === undefined ? {} : { note }
    return client.workflow.limits.mutate({ name, limits: wanted, expectedVersion: now.version, ...reason })
  })
  io.result(done, (it) => printable(`${formatLimits(it.limits).join('\n')}\n`))
  return EXIT_CODES.ok
}
