import { parseDocument } from 'yaml'
import { canonicalJson } from './canonical'
import { corrupt, nodeFrom } from './node-schema'
import type { Node } from './nodes'

/** UTF-8 bytes of a YAML node, at most: its parser needs a multiple of that. */
export const MAX_LEGACY_BYTES = 8 * 1024 * 1024
/** How often aliases may repeat what they stand for: bounds the expansion of nested anchors. */
const MAX_ALIASES = 100

const KNOWN_FIELDS: Record<string, readonly string[]> = {
  start: ['name', 'hash', 'depth', 'parentState'],
  state: ['role', 'meta', 'start', 'content', 'ancestors', 'compact', 'timestamp', 'childThread'],
}

/**
 * Reads a node in the predecessor's form: YAML with the keys `type`, `payload` and `refs` (or `children` where there is no
 * `refs` key). `parentState` and `childThread` may be missing and are null then; fields that are unknown, and the
 * `maxRounds` of old start nodes, are dropped. Refs must be those of the payload, as in `parseNode`. Throws CORRUPT_NODE.
 */
export function parseLegacyYaml(text: string, hash = ''): Node {
  const root = parseYaml(text, hash)
  if (!isRecord(root)) throw corrupt(hash, 'its YAML is not a map')
  // A `refs` key that is there decides, also when it holds nonsense: a broken list never falls back to the other one.
  const refs = 'refs' in root ? root.refs : root.children
  return nodeFrom({ type: root.type, payload: normalized(root.type, root.payload), refs }, hash)
}

function parseYaml(text: string, hash: string): unknown {
  if (Buffer.byteLength(text, 'utf8') > MAX_LEGACY_BYTES) {
    throw corrupt(hash, `as YAML it is larger than ${MAX_LEGACY_BYTES} bytes`)
  }
  try {
    const document = parseDocument(text, { schema: 'core', merge: false, uniqueKeys: true, logLevel: 'silent' })
    if (document.errors[0] !== undefined) throw document.errors[0]
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    // Whatever YAML can say and JSON cannot (NaN, values that contain themselves, absurd depth) ends here.
    canonicalJson(value)
    return value
  } catch (cause) {
    // Besides YAML errors: the RangeError of its recursive parser on absurd nesting.
    throw corrupt(hash, 'it is neither canonical JSON nor YAML that can be read', cause)
  }
}

function normalized(type: unknown, payload: unknown): unknown {
  const known = typeof type === 'string' && Object.hasOwn(KNOWN_FIELDS, type) ? KNOWN_FIELDS[type] : undefined
  if (known === undefined || !isRecord(payload)) return payload
  const clean: Record<string, unknown> = {}
  for (const field of known) if (Object.hasOwn(payload, field)) clean[field] = payload[field]
  if (type === 'start') return { parentState: null, ...clean }
  return { childThread: null, ...clean }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
