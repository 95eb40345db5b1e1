import fc from 'fast-check'
import { expect, it } from 'vitest'
import { initHash } from '@/server/cas/hash'
import { contentNode } from '@/server/cas/nodes'
import { contentStart } from './content-start'
import { MAX_RECORD_CONTENT } from './records'

await initHash()

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\u0000', '"', '\\', '\n', '\ud800', 'é', '𝄞', 'a') }),
)

it('the whole stored form gives the whole text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(contentStart(contentNode(text, []).body, true)).toEqual({ text, truncated: false })
    }),
  )
})

it('a stored form cut anywhere gives a beginning of the text and says that there is more', () => {
  fc.assert(
    fc.property(anyText, fc.nat(), (text, cut) => {
      const body = contentNode(text, []).body
      const prefix = '{"payload":"'.length
      const textEnd = body.length - '","refs":[],"type":"content"}'.length
      const start = contentStart(body.slice(0, prefix + (cut % (textEnd - prefix + 1))), false)
      expect(text.startsWith(start.text)).toBe(true)
      expect(start.truncated).toBe(true)
    }),
  )
})

it('a text beyond the limit is cut to it, and never inside a character', () => {
  const text = `${'x'.repeat(MAX_RECORD_CONTENT - 1)}𝄞 and more`
  const start = contentStart(contentNode(text, []).body, true)
  expect(start).toEqual({ text: 'x'.repeat(MAX_RECORD_CONTENT - 1), truncated: true })
})

it('a content that is gone is shown as an empty beginning', () => {
  expect(contentStart(null, false)).toEqual({ text: '', truncated: true })
})
