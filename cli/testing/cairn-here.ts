import { toCliError } from '../cli-error'
import type { Io } from '../io'
import { noPaint } from '../output/terminal'
import { buildProgram } from '../program'

export type Ran = { exitCode: number; out: string; notes: string /** The error's message. */; error: string }

/** Command lines in this process, against one server; what a terminal would show comes back. */
export function cairnHere(server: { url: string; key: string }): (...argv: string[]) => Promise<Ran> {
  return async (...argv) => {
    const ran: Ran = { exitCode: 0, out: '', notes: '', error: '' }
    const json = argv.includes('--json')
    const out = (text: string | Uint8Array) => {
      ran.out += String(text)
    }
    const io: Io = {
      out,
      note: (text) => {
        ran.notes += text
      },
      result: (value, human) => out(json ? `${JSON.stringify(value)}\n` : human(value)),
      paint: noPaint,
      notePaint: noPaint,
      json,
      debug: false,
      isTerminal: false,
    }
    const program = buildProgram(io, (code) => {
      ran.exitCode = code
    })
    try {
      await program.parseAsync([...argv, '--url', server.url, '--key', server.key], { from: 'user' })
    } catch (error) {
      const failure = toCliError(error)
      ran.exitCode = failure.exitCode
      ran.error = failure.message
    }
    return ran
  }
}
