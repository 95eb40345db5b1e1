import { z } from 'zod'
import { nameSchema } from '@/server/kernel/ids'
import { log } from '@/server/kernel/log'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import type { Io } from '../io'
import { parseOptions, portNumber, positiveInteger } from '../options'
import type { Handler } from '../program'
import { runnerEnvironment } from '../up/runner-environment'
import type { Tree, TreeOptions } from '../up/tree'

const upOptions = z.object({
  dir: z.string().optional(),
  port: portNumber.optional(),
  build: z.boolean().default(true),
  dev: z.boolean().default(false),
  label: z.array(nameSchema),
  permission: z.array(z.string().regex(/^[a-z]+:[^,]+$/, 'must be a permission, like exec:git')),
  capacity: positiveInteger.refine((n) => n <= 10_000, 'must be at most 10000').optional(),
})

export const up: Handler = async (io, _args, raw) => {
  const { label, permission, capacity, ...options } = parseOptions(upOptions, raw)
  const runnerEnv = runnerEnvironment({ label, permission, capacity })
  return withTree(io, { ...options, runnerEnv }, async (tree, stopped) => {
    const login = await tree.loginLink()
    io.result({ url: tree.url, login, pid: process.pid, pids: tree.pids() }, () =>
      [
        `${io.paint('green', 'Cairn is up')} at ${io.paint('bold', tree.url)}`,
        `Log in once with ${login}`,
        io.paint('dim', 'For another browser: "cairn open". Ctrl-C stops everything.'),
        '',
      ].join('\n'),
    )
    await stopped
    return EXIT_CODES.ok
  })
}

/**
 * Runs `work` on a started tree and stops the tree when it is done, when a signal asks for it (`stopped` resolves then),
 * or when the tree is lost. A second Ctrl-C leaves at once: the processes then end by themselves.
 */
export async function withTree(
  io: Io,
  options: Pick<TreeOptions, 'build' | 'dev' | 'runnerEnv'> & { dir?: string | undefined; port?: number | undefined },
  work: (tree: Tree, stopped: Promise<void>, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const stopping = new AbortController()
  const { signal } = stopping
  const onSignal = () => {
    if (signal.aborted) process.exit(EXIT_CODES.interrupted)
    stopping.abort()
    io.note('Stopping …\n')
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

  // Only trouble is worth a line here; the processes that are started write their own logs.
  if (process.env.CAIRN_LOG === undefined) log.level = 'warn'
  const { startTree } = await import('../up/tree')
  try {
    const dir = options.dir ?? process.env.CAIRN_DIR ?? '.cairn'
    const tree = await startTree({
      ...options,
      port: options.port,
      dir,
      signal,
      report: (text) => io.note(`${text}\n`),
    })
    const lost = tree.lost.then((error) => {
      const message = 'Postgres died and could not be started again. See postgres.log in the .cairn folder.'
      throw new CliError(EXIT_CODES.failed, message, { cause: error })
    })
    try {
      return await Promise.race([work(tree, stopped, signal), lost])
    } finally {
      await tree.stop()
    }
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted
    throw error
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
