import { z } from 'zod'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import { followStarted } from '../follow-started'
import { argument, parseOptions, positiveInteger, readJson, readText, wholeNumber } from '../options'
import { count } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const forkOptions = z.object({
  step: wholeNumber.optional(),
  hash: z.string().optional(),
  role: z.string().optional(),
  prompt: z.string().optional(),
  input: z.string().optional(),
  workflow: z.string().optional(),
  maxRounds: positiveInteger.optional(),
  inject: z.string().optional(),
  content: z.string().optional(),
  meta: z.string().optional(),
  ref: z.array(z.string()),
  tag: z.array(z.string()),
  reason: z.string().optional(),
  watch: z.boolean().default(false),
  wait: z.boolean().default(false),
})
type ForkOptions = z.infer<typeof forkOptions>

/** Starts a thread that shares another one's history up to a step, and prints its id. */
export const fork: Handler = async (io, args, raw) => {
  const options = parseOptions(forkOptions, raw)
  const at = forkPoint(options)
  const overrides = await overridesOf(options)
  return withServer(raw, async (client, url) => {
    const forked = await client.thread.fork.mutate({
      id: argument(args, 0),
      ...(at === undefined ? {} : { at }),
      ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
      ...(options.tag.length === 0 ? {} : { tags: options.tag }),
      ...(options.reason === undefined ? {} : { reason: options.reason }),
    })
    io.note(`It shares ${count(forked.sharedSteps, 'step')} with ${argument(args, 0)}.\n`)
    return followStarted(io, client, { ...forked, url: `${url}/threads/${forked.id}` }, options)
  })
}

export type ForkPoint = { step: number } | { hash: string } | { role: string; run?: number }

/** Where to fork: a step's number, a node, or the nth run of a role as `role:n`. Undefined: all steps but the last are shared. */
export function forkPoint({ step, hash, role }: Pick<ForkOptions, 'step' | 'hash' | 'role'>): ForkPoint | undefined {
  const given = [step, hash, role].filter((value) => value !== undefined)
  if (given.length > 1) throw new CliError(EXIT_CODES.usage, 'Give one of --step, --hash and --role.')
  if (step !== undefined) return { step }
  if (hash !== undefined) return { hash }
  if (role === undefined) return undefined
  const [name = '', run] = role.split(':', 2)
  if (run === undefined) return { role: name }
  if (!/^[1-9]\d{0,8}$/.test(run)) {
    throw new CliError(EXIT_CODES.usage, `--role ${role} names no run. Write it like survey:2, for its second run.`)
  }
  return { role: name, run: Number(run) }
}

async function overridesOf(options: ForkOptions) {
  const { prompt, input, workflow, maxRounds } = options
  const step = await injectedStep(options)
  return {
    ...(prompt === undefined ? {} : { prompt: await readText(prompt) }),
    ...(input === undefined
      ? {}
      : { input: await readJson(input, { name: '--input', example: `--input '{"n": 1}'` }) }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
    ...(step === undefined ? {} : { step }),
  }
}

/** The step that stands as if its role had returned it: the role as `writer`, or as `role=writer`. */
async function injectedStep({ inject, content, meta, ref }: ForkOptions) {
  if (inject === undefined) {
    if (content === undefined && meta === undefined && ref.length === 0) return undefined
    throw new CliError(
      EXIT_CODES.usage,
      '--content, --meta and --ref belong to a step: say whose with --inject <role>.',
    )
  }
  if (content === undefined)
    throw new CliError(EXIT_CODES.usage, '--inject needs what the role says: --content <text>.')
  const value = meta === undefined ? {} : await readJson(meta, { name: '--meta', example: `--meta '{"ok": true}'` })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CliError(EXIT_CODES.usage, `--meta must be a JSON object, like --meta '{"ok": true}'.`)
  }
  return {
    role: inject.replace(/^role=/, ''),
    content: await readText(content),
    meta: value,
    ...(ref.length === 0 ? {} : { refs: ref }),
  }
}
