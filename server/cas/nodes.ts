import type { Json, JsonObject } from '@/sdk/types'
import { AppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { canonicalJson } from './canonical'
import { hashBytes } from './hash'

/** The parent and 2, 4, 8 … 1024 steps back. */
export const MAX_ANCESTORS = 11
/** Bounds the canonical text of `meta`: a worker is not trusted, and what it sends may expand. */
export const META_LIMIT = { limit: 'metaBytes', max: 8 * 1024 * 1024 }

/** Text that a role produced, or a prompt. Its refs are the artifacts that the writer named. */
export type ContentNode = { type: 'content'; payload: string; refs: Hash[] }

export type StartPayload = {
  /** Name of the workflow. */
  name: string
  /** Hash of the bundle. */
  hash: Hash
  /** 0 for a thread that no other thread started. */
  depth: number
  /** The caller's head at the call; null at depth 0. */
  parentState: Hash | null
  maxRounds?: number
  input?: Json
}
/** `refs[0]` is the prompt: the only place that names it. */
export type StartNode = { type: 'start'; payload: StartPayload; refs: Hash[] }

export type StatePayload = {
  /** A role, or one of `__end__`, `__fork__`, `__retry__`. */
  role: string
  meta: JsonObject
  start: Hash
  content: Hash
  /** Newest first: see `ancestorsFor`. Empty on the first node after the start node. */
  ancestors: Hash[]
  /** A summary of everything before this node. */
  compact: Hash | null
  /** Milliseconds since the epoch, by the database's clock. */
  timestamp: number
  /** End node of the child thread, or a group node. */
  childThread: Hash | null
}
export type StateNode = { type: 'state'; payload: StatePayload; refs: Hash[] }

/** One child of a role that started several. */
export type GroupMember = { threadId: string; workflow: string; returnCode: number }
/** `refs[i]` is the end node of `threads[i]`. */
export type GroupNode = { type: 'group'; payload: { threads: GroupMember[] }; refs: Hash[] }

export type Node = ContentNode | StartNode | StateNode | GroupNode

/** What a builder returns: `body` is the canonical text, `size` its UTF-8 bytes. */
export type Encoded = { hash: Hash; body: string; refs: Hash[]; size: number }

/** A node before its refs are known. */
export type Unlinked<N extends Node = Node> = N extends Node ? Omit<N, 'refs'> : never

/**
 * The refs that a node must carry, in the order on which its digest depends. `linked` holds the hashes that the payload
 * does not name: the artifacts of a content node, the prompt of a start node, the end nodes of a group.
 */
export function refsOf(node: Unlinked, linked: readonly Hash[]): Hash[] {
  switch (node.type) {
    case 'content':
    case 'group':
      return [...linked]
    case 'start':
      return node.payload.parentState === null ? [...linked] : [...linked, node.payload.parentState]
    case 'state': {
      const { start, content, ancestors, compact, childThread } = node.payload
      const refs = [start, content, ...ancestors]
      if (compact !== null) refs.push(compact)
      if (childThread !== null) refs.push(childThread)
      return refs
    }
  }
}

/** `linked` of a node that has its refs already. */
export function linkedOf(node: Node): Hash[] {
  switch (node.type) {
    case 'content':
    case 'group':
      return node.refs
    case 'start':
      return node.refs.slice(0, 1)
    case 'state':
      return []
  }
}

export function contentNode(text: string, refs: readonly Hash[]): Encoded {
  return encoded(`{"payload":${canonicalJson(text)},"refs":${hashes(refs)},"type":"content"}`, [...refs])
}

/** `maxRounds` and `input` are in the payload only where given. */
export function startNode(start: {
  name: string
  bundle: Hash
  depth: number
  parentState: Hash | null
  prompt: Hash
  maxRounds?: number | null | undefined
  input?: Json | undefined
}): Encoded {
  const payload: StartPayload = {
    name: start.name,
    hash: start.bundle,
    depth: start.depth,
    parentState: start.parentState,
  }
  if (start.maxRounds !== undefined && start.maxRounds !== null) payload.maxRounds = start.maxRounds
  if (start.input !== undefined) payload.input = start.input
  return encodeNode({ type: 'start', payload, refs: refsOf({ type: 'start', payload }, [start.prompt]) })
}

/** `ends[i]` is the end node of `threads[i]`. */
export function groupNode(threads: GroupMember[], ends: readonly Hash[]): Encoded {
  if (threads.length !== ends.length) {
    throw new AppError(
      'BAD_INPUT',
      `A group of ${threads.length} threads needs as many end nodes, not ${ends.length}.`,
      {
        field: 'refs',
      },
    )
  }
  return encodeNode({
    type: 'group',
    payload: { threads },
    refs: refsOf({ type: 'group', payload: { threads } }, ends),
  })
}

/**
 * The hot path: writes the known keys in their order and leaves only `meta` to the general encoder. A property test holds
 * it equal to `encodeNode`.
 */
export function stateNode(state: StatePayload): Encoded {
  if (!Number.isSafeInteger(state.timestamp) || state.ancestors.length > MAX_ANCESTORS) throw unfit(state)
  const refs = refsOf({ type: 'state', payload: state }, [])
  const body =
    `{"payload":{"ancestors":${hashes(state.ancestors)},"childThread":${orNull(state.childThread)},` +
    `"compact":${orNull(state.compact)},"content":"${state.content}","meta":${canonicalJson(state.meta, META_LIMIT)},` +
    `"role":${JSON.stringify(state.role)},"start":"${state.start}","timestamp":${state.timestamp}},` +
    `"refs":${hashes(refs)},"type":"state"}`
  return encoded(body, refs)
}

/** The canonical text of any node, by the general encoder. */
export function encodeNode(node: Node): Encoded {
  return encoded(canonicalJson({ type: node.type, payload: node.payload, refs: node.refs }), node.refs)
}

function encoded(body: string, refs: Hash[]): Encoded {
  return { hash: hashBytes(body), body, refs, size: Buffer.byteLength(body, 'utf8') }
}

/** A hash needs no escaping: its 32 characters are checked where it enters. */
function hashes(list: readonly Hash[]): string {
  return list.length === 0 ? '[]' : `["${list.join('","')}"]`
}

function orNull(hash: Hash | null): string {
  return hash === null ? 'null' : `"${hash}"`
}

function unfit(state: StatePayload): AppError {
  if (state.ancestors.length > MAX_ANCESTORS) {
    return new AppError('LIMIT_EXCEEDED', `A state node has at most ${MAX_ANCESTORS} ancestors.`, {
      limit: 'ancestors',
      max: MAX_ANCESTORS,
      actual: state.ancestors.length,
    })
  }
  return new AppError('BAD_INPUT', `The timestamp ${state.timestamp} is not a whole number of milliseconds.`, {
    field: 'timestamp',
  })
}

/**
 * The ancestors of a node at `height` (1 is the first after the start node): its parent, then the nodes 2, 4, 8 … 1024 steps
 * back, as far as they exist. The start node is not among them. `at` gives the hash of the node at a height of 1 or more.
 */
export function ancestorsFor(height: number, at: (height: number) => Hash): Hash[] {
  return ancestorHeights(height).map(at)
}

/** The heights that `ancestorsFor` asks for. */
export function ancestorHeights(height: number): number[] {
  const heights: number[] = []
  for (let back = 1; heights.length < MAX_ANCESTORS && height - back >= 1; back *= 2) heights.push(height - back)
  return heights
}
