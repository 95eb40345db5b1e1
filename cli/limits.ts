import { BOUNDS, type WorkflowLimits, workflowLimitsSchema } from '@/server/threads/limits'
import { CliError } from './cli-error'
import { EXIT_CODES } from './exit-codes'

export const LIMIT_NAMES = Object.keys(workflowLimitsSchema.shape)

/** Changes limits by `name=value` and by names to take away. What it makes of them is checked by the schema of the server. */
export function changeLimits(now: WorkflowLimits, set: readonly string[], unset: readonly string[]): WorkflowLimits {
  const changed: Record<string, unknown> = { ...now }
  for (const name of unset) delete changed[known(name)]
  for (const text of set) {
    const at = text.indexOf('=')
    if (at < 0) throw new CliError(EXIT_CODES.usage, `"${text}" sets nothing. Write it like concurrency=2.`)
    const name = known(text.slice(0, at))
    changed[name] = parseValue(name, text.slice(at + 1))
  }
  const parsed = workflowLimitsSchema.safeParse(changed)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new CliError(EXIT_CODES.usage, `These limits cannot be set: ${problems.join('; ')}.`, { cause: parsed.error })
}

/** A line for each limit: those set, then how many have their default. */
export function formatLimits(limits: WorkflowLimits): string[] {
  const lines = Object.entries(limits).map(([name, value]) => {
    const bound = Object.entries(BOUNDS).find(([other]) => other === name)?.[1]
    return `${name}=${Array.isArray(value) ? value.join(',') : value}${bound ? `  (default ${bound.default}, at most ${bound.ceiling})` : ''}`
  })
  return lines.length > 0 ? lines : ['none set; every limit has its default']
}

function known(name: string): string {
  if (LIMIT_NAMES.includes(name)) return name
  throw new CliError(EXIT_CODES.usage, `There is no limit "${name}". Limits are ${LIMIT_NAMES.join(', ')}.`)
}

function parseValue(name: string, text: string): unknown {
  if (name === 'labels') return text.split(',').filter((label) => label !== '')
  return /^-?\d+$/.test(text) ? Number(text) : text
}
