import type { Thrown } from '../protocol'

/** Describes anything that can be thrown, also what is no error or fails to describe itself. */
export function toThrown(error: unknown): Thrown {
  try {
    if (error instanceof Error) {
      return {
        name: String(error.name).slice(0, 200),
        message: String(error.message).slice(0, 16_000),
        stack: typeof error.stack === 'string' ? error.stack.slice(0, 16_000) : null,
      }
    }
    const text = typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
    return { name: 'NonError', message: `a value that is no Error was thrown: ${text}`.slice(0, 16_000), stack: null }
  } catch {
    return { name: 'NonError', message: 'a value was thrown that cannot be described', stack: null }
  }
}
