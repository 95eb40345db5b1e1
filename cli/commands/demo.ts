import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { buildBundle } from '@/server/registry/build'
import type { Grants } from '@/server/registry/views'
import { CliError } from '../cli-error'
import { type Client, createClient } from '../client'
import { EXIT_CODES } from '../exit-codes'
import { followThread, recordPrinter } from '../follow'
import type { Io } from '../io'
import { parseOptions, portNumber } from '../options'
import { printableLine } from '../output/terminal'
import { count, formatDuration } from '../output/units'
import type { Handler } from '../program'
import { REPOSITORY } from '../up/paths'
import type { Tree } from '../up/tree'
import { withTree } from './up'

const demoOptions = z.object({
  dir: z.string().optional(),
  port: portNumber.optional(),
  once: z.boolean().default(false),
  build: z.boolean().default(true),
})

/** The whole way once: start everything, register two workflows, run one on this repository, verify what it left. */
export const demo: Handler = async (io, _args, raw) => {
  const options = parseOptions(demoOptions, raw)
  await requireGitHistory()
  return withTree(io, { ...options, dev: false }, async (tree, stopped) => {
    const good = await report(io, tree)
    if (!options.once) {
      io.note('\nThe dashboard stays up. Ctrl-C stops everything.\n')
      await stopped
    }
    return good ? EXIT_CODES.ok : EXIT_CODES.failed
  })
}

/** Whether the thread completed and its history verified. */
async function report(io: Io, tree: Tree): Promise<boolean> {
  const client = createClient({ url: tree.url, key: tree.key })
  // With --json stdout is for the one result at the end.
  const say = (text: string) => (io.json ? undefined : io.out(text))
  say(`${io.paint('green', 'Cairn is up')} at ${tree.url}\n\n`)
  await register(client, 'hello', { exec: [] }, say)
  await register(client, 'repo-report', { exec: [{ command: 'git', folders: [REPOSITORY] }] }, say)

  const started = await client.thread.start.mutate({
    workflow: 'repo-report',
    prompt: 'Report on this repository.',
    input: { path: REPOSITORY },
    tags: ['demo'],
  })
  const url = `${tree.url}/threads/${started.id}`
  say(`\nThread ${started.id}\nWatch it at ${await tree.loginLink(`/threads/${started.id}`)}\n\n`)
  const end = await followThread(client, started.id, io, io.json ? () => undefined : recordPrinter(io))
  if (!end) return false

  const check = await client.thread.verify.query({ id: started.id })
  const { status, steps } = end
  if (io.json && status !== 'completed') io.note(`The thread ended as ${status}: ${printableLine(end.summary)}\n`)
  io.result({ threadId: started.id, status, steps, verified: check.ok, url }, () =>
    check.ok
      ? `\n${io.paint('green', 'verify: ok')}, ${count(check.nodes, 'object')} in ${formatDuration(check.durationMs)}\n${url}\n`
      : `\n${io.paint('red', 'verify: damaged')}, see cairn thread verify ${started.id}\n`,
  )
  return status === 'completed' && check.ok
}

/** Builds and adds one of the workflows that come with Cairn. The same sources again change nothing. */
async function register(client: Client, name: string, grants: Grants, say: (text: string) => void): Promise<void> {
  const { code } = await buildBundle(join(REPOSITORY, 'workflows', name, 'index.ts'))
  const added = await client.workflow.add.mutate({ name, fileName: `${name}.esm.js`, source: code, grants })
  const current = await client.workflow.get.query({ name })
  if (JSON.stringify(current.grants) !== JSON.stringify(grants)) {
    await client.workflow.grant.mutate({ name, grants, expectedVersion: current.version })
  }
  say(`${added.created ? 'Registered' : 'Have'} ${name} ${added.hash}\n`)
}

async function requireGitHistory(): Promise<void> {
  try {
    await promisify(execFile)('git', ['-C', REPOSITORY, 'log', '-1', '--format=%H'])
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const why = missing ? 'there is no git command' : stderr.split('\n')[0] || 'git log failed'
    throw new CliError(
      EXIT_CODES.failed,
      `The demo reports on the git history of ${REPOSITORY}, which cannot be read: ${why}. ` +
        'Get Cairn with git clone, not as an archive; or use "cairn up" and run the workflow hello, which needs no git.',
      { cause: error },
    )
  }
}
