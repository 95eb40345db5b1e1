import type { Client } from './client'
import { EXIT_CODES, processExitCode } from './exit-codes'
import { followThread, recordPrinter } from './follow'
import type { Io } from './io'
import { recordLines } from './output/record-lines'
import { printableLine } from './output/terminal'

type Started = { id: string; status: string; url: string; why?: string | null }

/**
 * What a command that has made a thread does with it: prints its id; with `watch` its steps as they land, with `wait` its
 * end. A thread that was dropped is a conflict; one that was followed to its end gives its return code.
 */
export async function followStarted(
  io: Io,
  client: Client,
  started: Started,
  { watch, wait }: { watch: boolean; wait: boolean },
): Promise<number> {
  if (started.status === 'dropped') {
    io.result(started, ({ id }) => `${id}\n`)
    io.note(`Thread ${started.id} was dropped: ${printableLine(started.why ?? 'its workflow is full')}.\n`)
    return EXIT_CODES.conflict
  }
  if (!watch && !wait) {
    io.result(started, ({ id }) => `${id}\n`)
    return EXIT_CODES.ok
  }
  io.note(`${started.id}  ${started.url}\n`)
  const end = await followThread(client, started.id, io, watch ? recordPrinter(io) : () => undefined)
  if (!end) return EXIT_CODES.interrupted
  if (!watch) {
    const { status, returnCode, summary, steps, durationMs } = end
    const result = { ...started, status, returnCode, summary, steps, durationMs }
    io.result(result, () => `${recordLines(end, { paint: io.paint }).join('\n')}\n`)
  }
  return processExitCode(end.returnCode)
}
