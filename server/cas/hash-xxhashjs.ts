import xxhashjs from 'xxhashjs'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { base32Of64 } from './base32'

/**
 * The same address as `hashBytes`, by an independent implementation in plain JavaScript that also runs in a browser, which
 * re-verifies what it shows. About 500 times slower than WASM.
 */
export function hashBytesInScript(bytes: Uint8Array | string): Hash {
  const view = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  // An ArrayBuffer of exactly these bytes: for anything else xxhashjs reaches for Node's deprecated `new Buffer`.
  const exact = new Uint8Array(view).buffer
  const hex = xxhashjs.h64(exact, 0).toString(16).padStart(16, '0')
  return hashSchema.parse(base32Of64(Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8), 16)))
}
