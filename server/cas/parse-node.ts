import { parseLegacyYaml } from './legacy-yaml'
import { corrupt, nodeFrom } from './node-schema'
import { encodeNode, type Node } from './nodes'

/**
 * Reads the canonical text of a node, strictly. Throws CORRUPT_NODE, naming `hash` where the caller knows it, for an unknown
 * type, a field too many or too few, refs that are not those of the payload, and text that is not canonical.
 */
export function parseNode(body: string, hash = ''): Node {
  const node = nodeFrom(jsonOf(body, hash), hash)
  if (canonicalOf(node, hash) !== body) throw corrupt(hash, 'its text is not the canonical form of what it says')
  return node
}

/** Reads a stored body in either form: canonical JSON, or the YAML of imported history. */
export function readNode(body: string, hash = ''): Node {
  return isLegacy(body) ? parseLegacyYaml(body, hash) : parseNode(body, hash)
}

/** Canonical text always begins with a brace; the predecessor wrote YAML in block style, which never does. */
export function isLegacy(body: string): boolean {
  return !body.startsWith('{')
}

function jsonOf(body: string, hash: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw corrupt(hash, 'it is not JSON', cause)
  }
}

function canonicalOf(node: Node, hash: string): string {
  try {
    return encodeNode(node).body
  } catch (cause) {
    throw corrupt(hash, 'it is nested too deep', cause)
  }
}
