/** A node that a command adds to a chain, with its content, as `put_step` in the migrations takes it. Digests are raw bytes. */
export type CommandNode = {
  hash: string
  body: string
  refs: readonly string[]
  digest: Buffer
  role: string
  start: string
  parent: string | null
  height: number
  timestamp: number
  content: { hash: string; body: string; refs: readonly string[]; digest: Buffer }
}

/** Field by field; refs are hashes, so nothing in an array literal of them needs quoting. */
export function packNode(node: CommandNode): string[] {
  const { content } = node
  return [
    node.hash,
    node.body,
    `{${node.refs.join(',')}}`,
    node.digest.toString('hex'),
    node.role,
    node.start,
    node.parent ?? '',
    String(node.height),
    String(node.timestamp),
    content.hash,
    content.body,
    `{${content.refs.join(',')}}`,
    content.digest.toString('hex'),
  ]
}
