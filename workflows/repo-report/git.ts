import type { Runtime } from 'cairn/sdk'

/**
 * Settings that keep a repository's own configuration from running programs or changing the output. The folder was granted
 * by an admin, so that somebody else owns it is no reason to refuse.
 */
const SETTINGS = [
  'safe.directory=*',
  'core.fsmonitor=false',
  'log.showSignature=false',
  'log.diffMerges=off',
  'log.follow=false',
  'log.mailmap=true',
  'diff.renames=true',
  'diff.renameLimit=1000',
].flatMap((setting) => ['-c', setting])

const TIMEOUT_MS = 60_000

export type Git = {
  /** Standard output; throws `GitError` when git ends with another code than 0. */
  read(args: string[]): Promise<string>
  /** The first line of output, or null when git ends with another code than 0: for questions that may have no answer. */
  ask(args: string[]): Promise<string | null>
}

export class GitError extends Error {
  override readonly name = 'GitError'
}

/** Without `folder`, git runs in the first folder that it is granted for. */
export function gitIn(folder: string | undefined, runtime: Pick<Runtime, 'exec' | 'signal'>): Git {
  const run = (args: string[]) => {
    runtime.signal.throwIfAborted()
    return runtime.exec('git', ['--no-pager', '--no-optional-locks', '--literal-pathspecs', ...SETTINGS, ...args], {
      ...(folder === undefined ? {} : { cwd: folder }),
      timeoutMs: TIMEOUT_MS,
    })
  }
  return {
    async read(args) {
      const { exitCode, stdout, stderr } = await run(args)
      if (exitCode === 0) return stdout
      throw new GitError(`git ${args[0] ?? ''} failed with code ${exitCode}: ${firstLine(stderr) || 'it said nothing'}`)
    },
    async ask(args) {
      const { exitCode, stdout } = await run(args)
      return exitCode === 0 ? firstLine(stdout) : null
    },
  }
}

/** Whether the platform ended a command because it printed or took too much: a smaller question may do. */
export function askedTooMuch(error: unknown): boolean {
  return error instanceof Error && (error.name === 'LIMIT_EXCEEDED' || error.name === 'TIMEOUT')
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}
