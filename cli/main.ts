import { CommanderError } from 'commander'
import { CliError, toCliError } from './cli-error'
import { EXIT_CODES } from './exit-codes'
import { processIo } from './io'
import { printable } from './output/terminal'
import { buildProgram } from './program'

/** Runs one command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough (`cairn thread list | head -1`) closes the pipe: that is a normal end.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok)
      throw error
    })
  }
  process.exit(await execute(argv))
}

async function execute(argv: readonly string[]): Promise<number> {
  const io = processIo({ json: argv.includes('--json'), debug: argv.includes('--debug') })
  let exitCode: number = EXIT_CODES.ok
  try {
    await buildProgram(io, (code) => {
      exitCode = code
    }).parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT_CODES.ok
      // Commander printed it already.
      if (!io.json || error.code === 'commander.help') return EXIT_CODES.usage
    }
    const failure = error instanceof CommanderError ? usageError(error) : toCliError(error)
    if (io.json) {
      const { message, exitCode: code, reason } = failure
      io.note(`${JSON.stringify({ error: { message, exitCode: code, ...(reason ? { reason } : {}) } })}\n`)
    } else {
      io.note(`${io.notePaint('red', 'error:')} ${printable(failure.message)}\n`)
      if (io.debug) io.note(`${printable(describeCauses(error))}\n`)
    }
    return failure.exitCode
  }
}

function usageError(error: CommanderError): CliError {
  return new CliError(EXIT_CODES.usage, `${error.message.replace(/^error: /, '')}. See --help.`, { cause: error })
}

function describeCauses(error: unknown): string {
  const parts: string[] = []
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    parts.push(at.stack ?? at.message)
  return parts.join('\ncaused by ')
}
