import { z } from 'zod'
import { CliError } from '../cli-error'
import { EXIT_CODES, processExitCode } from '../exit-codes'
import { followThread, recordPrinter } from '../follow'
import { argument, parseOptions, positiveInteger, readInput, readStdin } from '../options'
import { recordLines } from '../output/record-lines'
import type { Handler } from '../program'
import { withServer } from '../session'

const runOptions = z.object({
  prompt: z.string(),
  input: z.string().optional(),
  watch: z.boolean().default(false),
  wait: z.boolean().default(false),
  maxRounds: positiveInteger.optional(),
  deadline: positiveInteger.optional(),
  dryRun: z.boolean().default(false),
  tag: z.array(z.string()),
  idempotencyKey: z.string().optional(),
})

export const run: Handler = async (io, args, raw) => {
  const options = parseOptions(runOptions, raw)
  const prompt = options.prompt === '-' ? (await readStdin()).toString('utf8') : options.prompt
  const input = options.input === undefined ? {} : { input: await parseInput(options.input) }
  return withServer(raw, async (client, url) => {
    const started = await client.thread.start.mutate({
      workflow: argument(args, 0),
      prompt,
      ...input,
      ...(options.maxRounds === undefined ? {} : { maxRounds: options.maxRounds }),
      ...(options.deadline === undefined ? {} : { deadlineSeconds: options.deadline }),
      ...(options.tag.length === 0 ? {} : { tags: options.tag }),
      ...(options.dryRun ? { dryRun: true } : {}),
      ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
    })
    const page = `${url}/threads/${started.id}`
    if (!options.watch && !options.wait) {
      io.result({ ...started, url: page }, () => `${started.id}\n`)
      return EXIT_CODES.ok
    }
    io.note(`${started.id}  ${page}\n`)
    const end = await followThread(client, started.id, io, options.watch ? recordPrinter(io) : () => undefined)
    if (!end) return EXIT_CODES.interrupted
    if (!options.watch) {
      const { status, returnCode, summary, steps, durationMs } = end
      const result = { ...started, status, returnCode, summary, steps, durationMs, url: page }
      io.result(result, () => `${recordLines(end, { paint: io.paint }).join('\n')}\n`)
    }
    return processExitCode(end.returnCode)
  })
}

const jsonSchema = z.json()

/** JSON as it is, or from the file behind an @. */
async function parseInput(text: string): Promise<z.infer<typeof jsonSchema>> {
  const source = text.startsWith('@') ? (await readInput(text.slice(1))).toString('utf8') : text
  try {
    return jsonSchema.parse(JSON.parse(source))
  } catch (error) {
    const where = text.startsWith('@') ? text.slice(1) : '--input'
    const why = error instanceof SyntaxError ? ` (${error.message})` : ''
    throw new CliError(
      EXIT_CODES.usage,
      `${where} is not JSON${why}. Text needs double quotes, like --input '{"n": 1}'.`,
      {
        cause: error,
      },
    )
  }
}
