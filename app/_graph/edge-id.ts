/** Names the edge between two nodes. A role name has no white space, so this is unambiguous. */
export function edgeId(from: string, to: string): string {
  return `${from} ${to}`
}
