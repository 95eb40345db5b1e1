import { stripVTControlCharacters } from 'node:util'
import type { Environment } from '../environment'

/** Control characters but tab and newline, the marks that reorder text on the screen, and Unicode's own line ends. */
const UNSAFE = /[^\P{Cc}\t\n]|\p{Bidi_Control}|[\u2028\u2029]/gu

/** Text of a user, a model or a server made safe to print: it can neither move the cursor, nor set titles, nor hide what it says. */
export function printable(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(UNSAFE, '')
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}

/** Shortens to `width` characters (code points), the last one an ellipsis. */
export function ellipsis(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const
export type Paint = (style: keyof typeof CODES, text: string) => string

export const noPaint: Paint = (_style, text) => text
const ansiPaint: Paint = (style, text) => `\x1b[${CODES[style]}m${text}\x1b[0m`

/** Colour only where a person looks: on a terminal, without NO_COLOR (https://no-color.org: any non-empty value). */
export function paintFor(stream: { isTTY?: boolean }, env: Environment): Paint {
  return stream.isTTY && !env.NO_COLOR && env.TERM !== 'dumb' ? ansiPaint : noPaint
}
