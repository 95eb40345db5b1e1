import type { Json } from '@/sdk/types'

/** The JSON of a stored text, or undefined for text in another form (imported history is YAML). */
export function jsonOf(text: string): Json | undefined {
  try {
    // JSON.parse gives JSON.
    return JSON.parse(text) as Json
  } catch {
    // Not JSON: the page shows the text alone.
    return undefined
  }
}
