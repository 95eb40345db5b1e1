import { z } from 'zod'
import { AppError } from './errors'

const schema = z.object({
  /** Where Postgres is. `cairn up` sets it for the processes that it starts. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a URL like postgres://user@host:5432/name' }),
  /** Port of the web server on loopback: requests under another one are refused. */
  CAIRN_PORT: z.coerce.number().int().min(1).max(65_535).default(4400),
  /** Set by `cairn up` when Postgres is the embedded one: the system page says so. */
  CAIRN_EMBEDDED: z.stringbool().default(false),
  /** Set by `cairn up`, which waits for its own web server and no other to answer. */
  CAIRN_INSTANCE: z.string().optional(),
})

/** Of the answer to a readiness probe: the CAIRN_INSTANCE of who answers. */
export const INSTANCE_HEADER = 'cairn-instance'

export type Env = z.infer<typeof schema>

let parsed: Env | undefined

/** The environment, checked once, when it is first needed: a build needs none. Throws BAD_INPUT that names each variable. */
export function env(): Env {
  parsed ??= parseEnv(process.env)
  return parsed
}

export function parseEnv(variables: Record<string, string | undefined>): Env {
  const result = schema.safeParse(variables)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
  throw new AppError('BAD_INPUT', `The environment is not right: ${problems.join('; ')}. \`npx cairn up\` sets it.`, {
    field: String(result.error.issues[0]?.path[0] ?? ''),
  })
}
