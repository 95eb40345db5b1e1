import { z } from 'zod'
import { EXIT_CODES, processExitCode } from '../exit-codes'
import { followThread, recordPrinter } from '../follow'
import { parseOptions } from '../options'
import type { Handler } from '../program'
import { threadIdOf, withServer } from '../session'

const liveOptions = z.object({ latest: z.boolean().default(false), role: z.string().optional() })

export const live: Handler = async (io, args, raw) => {
  const { latest, role } = parseOptions(liveOptions, raw)
  return withServer(raw, async (client) => {
    const id = await threadIdOf(client, args[0], latest)
    const end = await followThread(client, id, io, recordPrinter(io, role))
    return end ? processExitCode(end.returnCode) : EXIT_CODES.interrupted
  })
}
