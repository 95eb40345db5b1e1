import { z } from 'zod'
import { EXIT_CODES } from '../exit-codes'
import { argument, parseOptions } from '../options'
import type { Handler } from '../program'
import { withServer } from '../session'

const controlOptions = z.object({ reason: z.string().optional(), wait: z.boolean().default(false) })
const reasonOptions = z.object({ reason: z.string().optional() })

/** One call waits this long for the runner; the next one goes on. */
const WAIT_MS = 20_000

/**
 * Gives a command to a thread. Without --wait, `requested` is success: the runner that holds the thread will do it. With
 * --wait it ends when that is done, and as a conflict when the thread took another way first.
 */
function control(command: 'pause' | 'resume' | 'kill'): Handler {
  return async (io, args, raw) => {
    const id = argument(args, 0)
    const { reason, wait } = parseOptions(controlOptions, raw)
    const given = { id, command, ...(reason === undefined ? {} : { reason }) }
    return withServer(raw, async (client) => {
      const ask = () => client.thread.control.mutate(wait ? { ...given, waitMs: WAIT_MS } : given)
      let answer = await ask()
      while (wait && isUnderWay(answer, command)) answer = await ask()
      const missed = wait && answer.effect === 'requested'
      io.result({ id, ...answer }, ({ effect, status }) =>
        effect === 'done'
          ? `${id} is ${status}.\n`
          : `${id} is ${status}; ${command} is ${missed ? 'not done' : 'requested'}.\n`,
      )
      if (!missed) return EXIT_CODES.ok
      io.note(`The ${command} came too late: the thread is ${answer.status}. See "cairn thread show ${id}".\n`)
      return EXIT_CODES.conflict
    })
  }
}

function isUnderWay(answer: { effect: string; status: string; control: string | null }, command: string): boolean {
  return answer.effect === 'requested' && answer.status === 'running' && answer.control === command
}

export const pause = control('pause')
export const resume = control('resume')
export const kill = control('kill')

export const retry: Handler = async (io, args, raw) => {
  const id = argument(args, 0)
  const { reason } = parseOptions(reasonOptions, raw)
  const answer = await withServer(raw, (client) =>
    client.thread.retry.mutate({ id, ...(reason === undefined ? {} : { reason }) }),
  )
  io.result({ id, ...answer }, ({ status }) => `${id} is ${status}.\n`)
  return EXIT_CODES.ok
}

export const remove: Handler = async (io, args, raw) => {
  const id = argument(args, 0)
  const { reason } = parseOptions(reasonOptions, raw)
  const answer = await withServer(raw, (client) =>
    client.thread.remove.mutate({ id, ...(reason === undefined ? {} : { reason }) }),
  )
  io.result({ id, ...answer }, () => `${id} is removed.\n`)
  return EXIT_CODES.ok
}
