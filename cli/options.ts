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
export const wholeNumber = z
  .string()
  .regex(/^(0|[1-9]\d{0,9})$/, 'must be a whole number')
  .transform(Number)
export const pageLimit = positiveInteger.refine((n) => n <= 200, 'must be at most 200')

/** Of a thread in the queue: higher is claimed first. */
export const priorityNumber = z
  .string()
  .regex(/^-?\d{1,4}$/, 'must be a whole number from -1000 to 1000')
  .transform(Number)

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

const jsonSchema = z.json()

/** JSON as it stands, from the file behind an @, or from stdin for "-". `what` names it in an error, with an example. */
export async function readJson(
  text: string,
  what: { name: string; example: string },
): Promise<z.infer<typeof jsonSchema>> {
  const source = await readText(text)
  try {
    return jsonSchema.parse(JSON.parse(source))
  } catch (error) {
    const where = text === '-' ? 'stdin' : text.startsWith('@') ? text.slice(1) : what.name
    const why = error instanceof SyntaxError ? ` (${error.message})` : ''
    const message = `${where} is not JSON${why}. Text needs double quotes, like ${what.example}.`
    throw new CliError(EXIT_CODES.usage, message, { cause: error })
  }
}

/** The text itself, that of the file behind an @, or stdin for "-". */
export async function readText(text: string): Promise<string> {
  if (text === '-') return (await readStdin()).toString('utf8')
  return text.startsWith('@') ? (await readInput(text.slice(1))).toString('utf8') : text
}

export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
