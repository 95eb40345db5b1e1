import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff'

/** A piece of the two texts; `removed` stands only in the first of them, `added` only in the second. */
export type DiffPart = { kind: 'same' | 'removed' | 'added'; text: string }

/** Together longer than this, texts are compared by lines: words would take too long. Characters. */
const MAX_FOR_WORDS = 20_000
/** A comparison that takes longer tells nobody more. */
const TIMEOUT_MS = 400

/** Where two texts differ, in order; null when they differ so much that finding out takes too long. */
export function diffText(a: string, b: string): DiffPart[] | null {
  const byWords = a.length + b.length <= MAX_FOR_WORDS
  const changes =
    (byWords && diffWordsWithSpace(a, b, { timeout: TIMEOUT_MS })) || diffLines(a, b, { timeout: TIMEOUT_MS })
  return changes?.map(partOf) ?? null
}

function partOf({ added, removed, value }: ChangeObject<string>): DiffPart {
  return { kind: added ? 'added' : removed ? 'removed' : 'same', text: value }
}
