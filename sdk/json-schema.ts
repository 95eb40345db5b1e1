import * as z from 'zod'
import { DefinitionError } from './errors'
import type { JsonObject } from './types'

/** JSON Schema of what a schema takes (`input`) or gives. Throws `DefinitionError`, which begins with `what`. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', what: string): JsonObject {
  try {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
    // A JSON Schema is JSON; the round trip drops what zod hangs on it besides.
    return JSON.parse(JSON.stringify(rest)) as JsonObject
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new DefinitionError(
      `${what} cannot be written as JSON Schema: ${why}. Use types that JSON has, without transforms.`,
      { cause },
    )
  }
}
