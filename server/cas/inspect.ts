import type { StoredRow } from '@/db/queries/cas/read-stored'
import { isAppError } from '@/server/kernel/errors'
import type { VerifyReport } from '@/server/threads/views'
import { hashBytes } from './hash'
import type { Node, StatePayload } from './nodes'
import { isLegacy, readNode } from './parse-node'

export type Finding = VerifyReport['findings'][number]

/** What one stored row says, checked by itself. */
export type Inspected = {
  hash: string
  type: Node['type'] | 'blob'
  /** From the payload when the bytes are what the address says, else from the column. */
  refs: string[]
  /** As stored. */
  digest: Buffer
  bytes: number
  /** The bytes are what the address says. Other checks on a node that is not sound would only repeat that. */
  sound: boolean
  /** Of the predecessor's form: its ancestors follow no rule that could be checked. */
  legacy: boolean
  /** Of a state node, as its columns say. */
  place: { height: number; start: string } | null
  state: (Omit<StatePayload, 'meta'> & { returnCode: unknown }) | null
  start: { name: string; bundle: string; depth: number } | null
  group: { returnCodes: number[] } | null
  findings: Finding[]
}

/** Hash, form, refs and columns of one row. Pure. */
export function inspect(row: StoredRow): Inspected {
  const type = row.table === 'blobs' ? row.type : row.table === 'start_nodes' ? 'start' : 'state'
  const body = row.table === 'blobs' && row.raw !== null ? row.raw : (row.body ?? '')
  const base: Inspected = {
    hash: row.hash,
    type,
    refs: row.refs,
    digest: row.digest,
    bytes: Buffer.byteLength(body),
    sound: false,
    legacy: typeof body === 'string' && isLegacy(body),
    place: row.table === 'state_nodes' ? { height: row.height, start: row.start } : null,
    state: null,
    start: null,
    group: null,
    findings: [],
  }
  const actual = hashBytes(body)
  if (actual !== row.hash) {
    return found(base, 'hash', `Its stored bytes have the hash ${actual}: they were changed.`)
  }
  if (typeof body !== 'string') return inspectRaw({ ...base, sound: true }, row)
  try {
    return inspectNode({ ...base, sound: true }, row, readNode(body, row.hash))
  } catch (error) {
    if (!isAppError(error, 'CORRUPT_NODE')) throw error
    return found({ ...base, sound: true }, 'not-canonical', error.message)
  }
}

function inspectRaw(base: Inspected, row: StoredRow): Inspected {
  const wrong =
    row.table === 'blobs'
      ? differing([
          ['type', row.type, 'blob'],
          ['size', row.size, base.bytes],
        ])
      : ''
  const checked = wrong === '' ? base : found(base, 'columns', wrong)
  return row.refs.length === 0
    ? checked
    : found({ ...checked, refs: [] }, 'refs', 'A raw blob has no refs, its row has.')
}

function inspectNode(base: Inspected, row: StoredRow, node: Node): Inspected {
  const read: Inspected = { ...base, type: node.type, refs: node.refs, ...partsOf(node) }
  const wrong = differing(columnsOf(row, node, base.bytes))
  const checked = wrong === '' ? read : found(read, 'columns', wrong)
  return sameList(row.refs, node.refs)
    ? checked
    : found(checked, 'refs', 'Its refs column is not what its payload asks for.')
}

function partsOf(node: Node): Pick<Inspected, 'state' | 'start' | 'group'> {
  const none = { state: null, start: null, group: null }
  switch (node.type) {
    case 'content':
      return none
    case 'group':
      return { ...none, group: { returnCodes: node.payload.threads.map((thread) => thread.returnCode) } }
    case 'start': {
      const { name, hash, depth } = node.payload
      return { ...none, start: { name, bundle: hash, depth } }
    }
    case 'state': {
      const { meta, ...rest } = node.payload
      return { ...none, state: { ...rest, returnCode: meta.returnCode } }
    }
  }
}

type Column = [name: string, stored: unknown, expected: unknown]

/** The columns that repeat what the node says; `height`, which no node says, is checked against the parent's. */
function columnsOf(row: StoredRow, node: Node, bytes: number): Column[] {
  if (row.table === 'state_nodes' && node.type === 'state') {
    const { role, start, content, ancestors, compact, childThread, timestamp } = node.payload
    return [
      ['role', row.role, role],
      ['start', row.start, start],
      ['content', row.content, content],
      ['parent', row.parent, ancestors[0] ?? null],
      ['compact', row.compact, compact],
      ['child_thread', row.childThread, childThread],
      ['timestamp', row.timestamp, timestamp],
    ]
  }
  if (row.table === 'start_nodes' && node.type === 'start') {
    const { name, hash, depth, parentState } = node.payload
    return [
      ['name', row.name, name],
      ['bundle', row.bundle, hash],
      ['depth', row.depth, depth],
      ['parent_state', row.parentState, parentState],
      ['prompt', row.prompt, node.refs[0]],
    ]
  }
  if (row.table === 'blobs' && (node.type === 'content' || node.type === 'group')) {
    return [
      ['type', row.type, node.type],
      ['size', row.size, bytes],
      ['media_type', row.mediaType, null],
    ]
  }
  return [['table', row.table, `the one for ${node.type} nodes`]]
}

function differing(columns: Column[]): string {
  return columns
    .filter(([, stored, expected]) => stored !== expected)
    .map(([name, stored, expected]) => `Its column ${name} says ${shown(stored)}, the node ${shown(expected)}.`)
    .join(' ')
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function found(inspected: Inspected, problem: Finding['problem'], message: string): Inspected {
  const finding = { hash: inspected.hash, type: inspected.type, problem, message }
  return { ...inspected, findings: [...inspected.findings, finding] }
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
