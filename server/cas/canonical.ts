import { AppError } from '@/server/kernel/errors'

/** Arrays and objects inside each other, at most. */
export const MAX_JSON_DEPTH = 512
/** UTF-8 bytes of one stored object, at most; canonical text stops at as many characters. */
export const MAX_OBJECT_BYTES = 64 * 1024 * 1024

/** A named bound on the characters of a text. */
export type TextLimit = { limit: string; max: number }
const OBJECT_LIMIT: TextLimit = { limit: 'objectBytes', max: MAX_OBJECT_BYTES }

type Walk = {
  /** Keys and indexes from the root to the value at hand. */
  path: (string | number)[]
  /** The containers that are being written: a value that is among them contains itself. */
  open: object[]
  /** Characters written so far. */
  chars: number
  limit: TextLimit
}

/**
 * The RFC 8785 text of a JSON value: keys sorted by UTF-16 code units, numbers as ECMAScript writes them, no white space.
 *
 * Beyond the RFC: NUL and lone surrogates stand as `\u` escapes, so the text is valid UTF-8 without NUL; `-0` is `0`; a
 * number beyond 2^53 keeps its ECMAScript form. Only own enumerable string keys of plain objects count, `toJSON` is never
 * called, and `__proto__`, `constructor` or `toString` are keys like any other.
 *
 * Throws BAD_INPUT naming the path for what JSON cannot say (undefined, a hole, a non-finite number, a bigint, a symbol, a
 * function, an object with a prototype of its own such as a Date or Map, a cycle), and LIMIT_EXCEEDED past
 * `MAX_JSON_DEPTH` or the limit on the text.
 */
export function canonicalJson(value: unknown, limit: TextLimit = OBJECT_LIMIT): string {
  return write(value, { path: [], open: [], chars: 0, limit })
}

function write(value: unknown, walk: Walk): string {
  switch (typeof value) {
    case 'string':
      return counted(walk, quote(value, walk))
    case 'number':
      if (!Number.isFinite(value)) throw unencodable(walk, `the number ${value}`)
      return counted(walk, String(value))
    case 'boolean':
      return counted(walk, value ? 'true' : 'false')
    case 'object':
      return value === null ? counted(walk, 'null') : writeContainer(value, walk)
    default:
      throw unencodable(walk, value === undefined ? 'undefined' : `a ${typeof value}`)
  }
}

function writeContainer(value: object, walk: Walk): string {
  if (walk.open.includes(value)) throw unencodable(walk, 'a value that contains itself')
  if (walk.open.length >= MAX_JSON_DEPTH) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The JSON value is nested more than ${MAX_JSON_DEPTH} levels deep. Flatten it.`,
      {
        limit: 'jsonDepth',
        max: MAX_JSON_DEPTH,
      },
    )
  }
  walk.open.push(value)
  const text = Array.isArray(value) ? writeArray(value, walk) : writeObject(value, walk)
  walk.open.pop()
  return text
}

function writeArray(items: readonly unknown[], walk: Walk): string {
  let text = '['
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ','
    walk.path.push(index)
    text += write(items[index], walk)
    walk.path.pop()
  }
  walk.chars += 2
  return `${text}]`
}

function writeObject(object: object, walk: Walk): string {
  if (!isPlain(object)) throw unencodable(walk, `an object of class ${object.constructor?.name ?? 'unknown'}`)
  const members = object as Record<string, unknown> // any object can be read by string keys; each value is checked
  const keys = Object.keys(members)
  // The default order of `sort` is by UTF-16 code units, which is what the RFC asks for.
  if (keys.length > 1) keys.sort()
  let text = '{'
  for (const key of keys) {
    if (text.length > 1) text += ','
    walk.path.push(key)
    text += `${counted(walk, quote(key, walk))}:`
    text += write(members[key], walk)
    walk.path.pop()
  }
  walk.chars += 2
  return `${text}}`
}

/** Also true for plain objects of another realm, whose `Object.prototype` is not ours. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

/** `JSON.stringify` of a string is what the RFC asks for, and escapes lone surrogates. */
function quote(text: string, walk: Walk): string {
  if (text.length > walk.limit.max) throw tooLong(walk, text.length)
  return JSON.stringify(text)
}

/** Counts as it goes: values that share parts can be exponentially larger as text than in memory. */
function counted(walk: Walk, text: string): string {
  walk.chars += text.length + 1
  if (walk.chars > walk.limit.max) throw tooLong(walk, walk.chars)
  return text
}

function tooLong(walk: Walk, actual: number): AppError<'LIMIT_EXCEEDED'> {
  const { limit, max } = walk.limit
  return new AppError('LIMIT_EXCEEDED', `The JSON text is longer than ${max} bytes (${limit}). Store less at once.`, {
    limit,
    max,
    actual,
  })
}

function unencodable(walk: Walk, what: string): AppError<'BAD_INPUT'> {
  const field = walk.path.join('.')
  const where = field === '' ? 'The value' : `The value at "${field}"`
  return new AppError('BAD_INPUT', `${where} is ${what}, which JSON cannot say. Send plain JSON.`, { field })
}
