import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ellipsis, noPaint, paintFor, printable, printableLine } from './terminal'

describe('printable', () => {
  test('removes what moves the cursor, sets titles, makes links or rings', () => {
    expect(printable('a\x1b[2Jb\x1b]0;title\x07c\x07\x08d\x9b31me')).toBe('abcde')
    expect(printable('safe\x1b[31mred\x1b[0m')).toBe('safered')
  })
  test('removes marks that make text read differently from what it is', () => {
    expect(printable('user\u202Enimda\u2066!')).toBe('usernimda!')
  })
  test('keeps lines, tabs and every other script', () => {
    expect(printable('Zeile 1\n\tüber 日本 🪨\r\nEnde')).toBe('Zeile 1\n\tüber 日本 🪨\nEnde')
  })
  test('leaves no control character of any text but tab and newline', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[^\P{Cc}\t\n]|\p{Bidi_Control}/u)
      }),
    )
  })
  test('on one line: no line break survives', () => {
    expect(printableLine(' a\n\n b\tc ')).toBe('a b c')
  })
})

test('ellipsis counts characters, not UTF-16 units', () => {
  expect(ellipsis('🪨🪨🪨', 3)).toBe('🪨🪨🪨')
  expect(ellipsis('🪨🪨🪨🪨', 3)).toBe('🪨🪨…')
})

test('colour only on a terminal, without NO_COLOR, and not on a dumb one', () => {
  expect(paintFor({ isTTY: true }, {})('red', 'x')).toBe('\x1b[31mx\x1b[0m')
  expect(paintFor({ isTTY: true }, { NO_COLOR: '1' })).toBe(noPaint)
  expect(paintFor({ isTTY: true }, { TERM: 'dumb' })).toBe(noPaint)
  expect(paintFor({}, {})).toBe(noPaint)
})
