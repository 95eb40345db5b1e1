import { ulid } from 'ulid'
import { z } from 'zod'

/** Crockford Base32 in upper case: no I, L, O, U. */
const CROCKFORD = '[0-9A-HJKMNP-TV-Z]'

/** 13 characters; the first holds only the top 4 of 64 bits, so it never exceeds F. */
const HASH = new RegExp(`^[0-9A-F]${CROCKFORD}{12}$`)
export const hashSchema = z
  .string()
  .regex(HASH, 'must be a hash: 13 characters of Crockford Base32, like 0K3V7Z2M9Q4TX')
  .brand<'Hash'>()
export type Hash = z.infer<typeof hashSchema>

export const threadIdSchema = z
  .string()
  .regex(new RegExp(`^[0-7]${CROCKFORD}{25}$`), 'must be a thread id: a ULID of 26 characters')
  .brand<'ThreadId'>()
export type ThreadId = z.infer<typeof threadIdSchema>

export const NAME_PATTERN = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
/** Name of a workflow, sense or role. */
export const nameSchema = z
  .string()
  .max(64, 'must be at most 64 characters')
  .regex(NAME_PATTERN, 'must be lower-case words joined by single hyphens, like solve-issue')
export const workflowNameSchema = nameSchema.brand<'WorkflowName'>()
export type WorkflowName = z.infer<typeof workflowNameSchema>

/** Reserved role names; `nameSchema` excludes them by its pattern. */
export const START = '__start__'
export const END = '__end__'
export const FORK_MARKER = '__fork__'
export const RETRY_MARKER = '__retry__'

/** Without zod: whoever reads a whole history asks this a dozen times a node. */
export function isHash(value: unknown): value is Hash {
  return typeof value === 'string' && HASH.test(value)
}

export function newThreadId(): ThreadId {
  return threadIdSchema.parse(ulid())
}
