import { isHash } from '@/server/kernel/ids'
import { hashBytes } from './hash'
import { corrupt } from './node-schema'
import { type Encoded, MAX_ANCESTORS, type StatePayload, stateNode } from './nodes'
import { parseNode } from './parse-node'

/**
 * What a state node with this address says, as strict as `parseNode`, for whoever reads a whole history: about a tenth of
 * its cost. The text must be what the hot encoder writes for the payload, which leaves only the types to look at; what does
 * not pass here is judged by `parseNode`. Throws CORRUPT_NODE, also for text that has another hash.
 */
export function parseState(body: string, hash: string): StatePayload {
  const quick = quickState(body)
  if (quick !== null) {
    if (quick.encoded.hash !== hash) throw otherHash(hash)
    return quick.payload
  }
  const node = parseNode(body, hash)
  if (node.type !== 'state') throw corrupt(hash, `it is of type ${node.type}, not state`)
  if (hashBytes(body) !== hash) throw otherHash(hash)
  return node.payload
}

function otherHash(hash: string) {
  return corrupt(hash, 'its text has another hash')
}

function quickState(body: string): { payload: StatePayload; encoded: Encoded } | null {
  try {
    const json: unknown = JSON.parse(body)
    const payload = isObject(json) ? json.payload : undefined
    if (!isStatePayload(payload)) return null
    const encoded = stateNode(payload)
    return encoded.body === body ? { payload, encoded } : null
  } catch {
    return null
  }
}

/** Members too many are not looked for: the text of the node would not be the encoder's. */
function isStatePayload(value: unknown): value is StatePayload {
  return (
    isObject(value) &&
    typeof value.role === 'string' &&
    isObject(value.meta) &&
    !Array.isArray(value.meta) &&
    isHash(value.start) &&
    isHash(value.content) &&
    Array.isArray(value.ancestors) &&
    value.ancestors.length <= MAX_ANCESTORS &&
    value.ancestors.every(isHash) &&
    (value.compact === null || isHash(value.compact)) &&
    Number.isSafeInteger(value.timestamp) &&
    (value.childThread === null || isHash(value.childThread))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
