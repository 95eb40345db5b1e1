import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { CliError } from './cli-error'
import { EXIT_CODES } from './exit-codes'

/** The global options that say which server. */
export const connectionOptions = z.object({
  url: z.string().optional(),
  key: z.string().optional(),
  dir: z.string().optional(),
})

export const positiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'must be a whole number above 0')
  .transform(Number)
export const pageLimit = positiveInteger.refine((n) => n <= 200, 'must be at most 200')

export const portNumber = positiveInteger.refine((n) => n <= 65_535, 'must be a port: 1 to 65535')

/** Options as `schema` wants them; what does not fit is wrong usage. */
export function parseOptions<S extends z.ZodType>(schema: S, options: unknown): z.output<S> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `--${kebab(issue.path.join('.'))} ${issue.message}`)
  throw new CliError(EXIT_CODES.usage, `${problems.join('; ')}.`, { cause: parsed.error })
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The nth argument; commander has made sure that a required one is there. */
export function argument(args: readonly string[], index: number): string {
  const value = args[index]
  if (value === undefined) throw new CliError(EXIT_CODES.usage, `Argument ${index + 1} is missing. See --help.`)
  return value
}

export async function readInput(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'this user may not read it' }[code]
    throw new CliError(EXIT_CODES.usage, `${path} cannot be read: ${why ?? code}.`, { cause: error })
  }
}

export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
