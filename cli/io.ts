import { type Paint, paintFor } from './output/terminal'

/** What a command may do to the outside: two streams and how they look. */
export type Io = {
  out: (text: string | Uint8Array) => void
  /** Progress and remarks: never part of the result. */
  note: (text: string) => void
  /** The result: one JSON value with --json, else what `human` makes of it (text that ends with a newline). */
  result: <T>(value: T, human: (value: T) => string) => void
  paint: Paint
  notePaint: Paint
  json: boolean
  debug: boolean
  isTerminal: boolean
}

export function processIo(options: { json: boolean; debug: boolean }): Io {
  const { stdout, stderr, env } = process
  const out = (text: string | Uint8Array) => void stdout.write(text)
  const paint = paintFor(stdout, env)
  return {
    out,
    note: (text) => void stderr.write(text),
    result: (value, human) => out(options.json ? `${JSON.stringify(value)}\n` : human(value)),
    paint,
    notePaint: paintFor(stderr, env),
    isTerminal: stdout.isTTY === true,
    ...options,
  }
}
