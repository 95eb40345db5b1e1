import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashSchema } from '@/server/kernel/ids'
import { base32Of64 } from './base32'
import { digestOf, hashBytes, initHash } from './hash'
import { hashBytesInScript } from './hash-xxhashjs'

beforeAll(initHash)

/** Crockford Base32 by long division: slow, and nothing like the code under test. */
function base32ByDivision(value: bigint): string {
  let text = ''
  for (let rest = value, i = 0; i < 13; i++, rest /= 32n)
    text = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number(rest % 32n)] + text
  return text
}

describe('hash', () => {
  test.each([
    ['', 0xef46db3751d8e999n],
    ['a', 0xd24ec4f1a98c6e5bn],
    ['abc', 0x44bc2cf5ad770999n],
    ['xxhash', 0x32dd38952c4bc720n],
    ['Nobody inspects the spammish repetition', 0xfbcea83c8a378bf1n],
  ])('is XXH64 with seed 0 in Crockford Base32: published vector %j', (text, value) => {
    expect(hashBytes(text)).toBe(base32ByDivision(value))
    expect(hashBytesInScript(text)).toBe(base32ByDivision(value))
  })

  test('two implementations agree on random bytes of every length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(hashBytes(bytes)).toBe(hashBytesInScript(bytes))
      }),
      { numRuns: 500 },
    )
    for (let length = 0; length <= 130; length++) {
      const bytes = new Uint8Array(length).map((_, index) => (index * 151 + length) % 256)
      expect(hashBytes(bytes)).toBe(hashBytesInScript(bytes))
    }
  })

  test('two implementations agree on any string, lone surrogates included, and a string is its UTF-8 bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 0xd800, max: 0xdfff }),
        (text, lone) => {
          const odd = text + String.fromCharCode(lone)
          for (const sample of [text, odd]) {
            expect(hashBytes(sample)).toBe(hashBytesInScript(sample))
            expect(hashBytes(sample)).toBe(hashBytes(Buffer.from(sample, 'utf8')))
          }
        },
      ),
    )
  })

  test('input above the piece size has the same hash as in one go, whole or as a view into a larger buffer', () => {
    const bytes = new Uint8Array(700_001).map((_, index) => (index * 31 + (index >> 8)) % 256)
    const view = bytes.subarray(13, 13 + 600_007)
    expect(hashBytes(view)).toBe(hashBytesInScript(view))
    const text = 'é€😀x'.repeat(60_000)
    expect(hashBytes(text)).toBe(hashBytesInScript(text))
  })

  test('every 64-bit number has its own form, which the hash schema accepts', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const text = base32Of64(Number(value >> 32n), Number(value & 0xffff_ffffn))
        expect(text).toBe(base32ByDivision(value))
        expect(hashSchema.safeParse(text).success).toBe(true)
      }),
    )
    expect(base32Of64(0xffff_ffff, 0xffff_ffff)).toBe('FZZZZZZZZZZZZ')
  })
})

describe('digest', () => {
  test('is SHA-256 of the bytes and then of the digests of the refs, in their order', () => {
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const expected = createHash('sha256')
      .update(Buffer.concat([Buffer.from('é', 'utf8'), one, two]))
      .digest('hex')
    expect(digestOf('é', [one, two]).toString('hex')).toBe(expected)
    expect(digestOf(Buffer.from('é', 'utf8'), [one, two]).toString('hex')).toBe(expected)
    expect(digestOf('é', [two, one]).toString('hex')).not.toBe(expected)
  })
})
