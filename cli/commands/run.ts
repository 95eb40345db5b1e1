import { z } from 'zod'
import { followStarted } from '../follow-started'
import { argument, parseOptions, positiveInteger, priorityNumber, readJson, readStdin } from '../options'
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
  label: z.array(z.string()),
  priority: priorityNumber.optional(),
  idempotencyKey: z.string().optional(),
})

const INPUT = { name: '--input', example: `--input '{"n": 1}'` }

export const run: Handler = async (io, args, raw) => {
  const options = parseOptions(runOptions, raw)
  const prompt = options.prompt === '-' ? (await readStdin()).toString('utf8') : options.prompt
  const input = options.input === undefined ? {} : { input: await readJson(options.input, INPUT) }
  return withServer(raw, async (client, url) => {
    const started = await client.thread.start.mutate({
      workflow: argument(args, 0),
      prompt,
      ...input,
      ...(options.maxRounds === undefined ? {} : { maxRounds: options.maxRounds }),
      ...(options.deadline === undefined ? {} : { deadlineSeconds: options.deadline }),
      ...(options.tag.length === 0 ? {} : { tags: options.tag }),
      ...(options.label.length === 0 ? {} : { labels: options.label }),
      ...(options.priority === undefined ? {} : { priority: options.priority }),
      ...(options.dryRun ? { dryRun: true } : {}),
      ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
    })
    return followStarted(io, client, { ...started, url: `${url}/threads/${started.id}` }, options)
  })
}
