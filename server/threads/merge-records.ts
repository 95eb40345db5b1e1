import type { Position } from './position'

/** One entry of a sequence. `height` is where it lies in the chain, `at` its time. */
type Placed = { height: number; at: number }
export type PlacedNode = { height: number; isEnd: boolean }

export type Sequences<N extends PlacedNode, E extends Placed, L extends Placed> = {
  nodes: readonly N[]
  events: readonly E[]
  logs: readonly L[]
}

export type Merged<N, E, L> = { position: Position } & (
  | { kind: 'node'; value: N }
  | { kind: 'event'; value: E }
  | { kind: 'log'; value: L }
)

/**
 * Merges what follows `from` in a thread's three sequences into one, `limit` entries at most.
 *
 * Which entry comes next depends on nothing but the three that come first, so reading on from any position gives the same
 * rest: pages and interruptions cannot change the order. An event or a log line of height h stands after node h and before
 * node h + 1. Heights are given under the thread's row lock, in the order in which everything became visible, so a reader who
 * follows a thread sees the same order as one who comes later. Between an event and a line of one height, the earlier goes
 * first. The end of a finished thread waits until nothing else is left.
 */
export function mergeRecords<N extends PlacedNode, E extends Placed, L extends Placed>(
  sequences: Sequences<N, E, L>,
  from: Position,
  limit: number,
): Merged<N, E, L>[] {
  const merged: Merged<N, E, L>[] = []
  let [n, e, l] = [0, 0, 0]
  while (merged.length < limit) {
    const node = sequences.nodes[n]
    const event = sequences.events[e]
    const line = sequences.logs[l]
    const eventFirst = event !== undefined && (line === undefined || precedes(event, line))
    const other = eventFirst ? event : line
    const nodeFirst = node !== undefined && (other === undefined || (!node.isEnd && other.height >= node.height))
    const position = () => ({ height: from.height + n, event: from.event + e, log: from.log + l })
    if (nodeFirst) {
      n++
      merged.push({ kind: 'node', value: node, position: position() })
    } else if (eventFirst) {
      e++
      merged.push({ kind: 'event', value: event, position: position() })
    } else if (line !== undefined) {
      l++
      merged.push({ kind: 'log', value: line, position: position() })
    } else break
  }
  return merged
}

function precedes(event: Placed, line: Placed): boolean {
  return event.height === line.height ? event.at <= line.at : event.height < line.height
}
