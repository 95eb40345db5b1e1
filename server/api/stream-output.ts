import { isTrackedEnvelope, type TrackedEnvelope, tracked } from '@trpc/server'
import { z } from 'zod'

function isAsyncIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Output schema of a subscription: each value it yields is checked. */
export function streamOf<S extends z.ZodType>(schema: S): z.ZodType<AsyncIterable<z.output<S>>> {
  return z.custom<AsyncIterable<unknown>>(isAsyncIterable).transform(async function* (values) {
    for await (const value of values) yield schema.parse(value)
  })
}

/** The same for values that carry an event id, by which a client that lost its connection goes on. */
export function trackedStreamOf<S extends z.ZodType>(
  schema: S,
): z.ZodType<AsyncIterable<TrackedEnvelope<z.output<S>>>> {
  return z.custom<AsyncIterable<unknown>>(isAsyncIterable).transform(async function* (values) {
    for await (const value of values) {
      if (!isTrackedEnvelope(value)) throw new TypeError('a tracked stream yields tracked values only')
      yield tracked(value[0], schema.parse(value[1]))
    }
  })
}
