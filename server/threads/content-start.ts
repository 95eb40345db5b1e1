import { z } from 'zod'
import { isLegacy, readNode } from '@/server/cas/parse-node'
import { MAX_RECORD_CONTENT } from './records'

export type ContentStart = { text: string; truncated: boolean }

/** Canonical text of a content node begins so: keys are sorted, and `payload` is the first. */
const PREFIX = '{"payload":"'

/**
 * The text of a content node, `MAX_RECORD_CONTENT` characters at most, from the first characters of its stored form, so
 * that a text of many megabytes need not be read to show how it begins. `complete` says that `stored` is all of it.
 */
export function contentStart(stored: string | null, complete: boolean): ContentStart {
  if (stored === null) return { text: '', truncated: true }
  if (isLegacy(stored)) return complete ? clip(legacyText(stored), false) : { text: '', truncated: true }
  if (!stored.startsWith(PREFIX)) return { text: '', truncated: true }
  const closing = closingQuote(stored)
  const literal = stored.slice(PREFIX.length - 1, closing ?? endOfWholeEscapes(stored))
  return clip(z.string().parse(JSON.parse(`${literal}"`)), closing === null)
}

function legacyText(stored: string): string {
  const node = readNode(stored)
  return node.type === 'content' ? node.payload : ''
}

/** Where the string that begins after the prefix ends, or null when it goes on beyond `stored`. */
function closingQuote(stored: string): number | null {
  for (let at = PREFIX.length; at < stored.length; at++) {
    if (stored[at] === '\\') at++
    else if (stored[at] === '"') return at
  }
  return null
}

/** The end of `stored` without an escape sequence that was cut in two. */
function endOfWholeEscapes(stored: string): number {
  let at = PREFIX.length
  while (at < stored.length) {
    const width = stored[at] !== '\\' ? 1 : stored[at + 1] === 'u' ? 6 : 2
    if (at + width > stored.length) break
    at += width
  }
  return at
}

/** Cuts to the limit, never between the two halves of a character. */
function clip(text: string, truncated: boolean): ContentStart {
  if (text.length <= MAX_RECORD_CONTENT) return { text, truncated }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(MAX_RECORD_CONTENT - 1))
  return { text: text.slice(0, splitsPair ? MAX_RECORD_CONTENT - 1 : MAX_RECORD_CONTENT), truncated: true }
}
