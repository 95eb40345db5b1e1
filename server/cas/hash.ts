import { createHash } from 'node:crypto'
import xxhash from 'xxhash-wasm'
import { AppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { base32Of64 } from './base32'

type Xxhash = Awaited<ReturnType<typeof xxhash>>
let loading: Promise<void> | undefined
let wasm: Xxhash | undefined

/**
 * Inputs above this are hashed in pieces: the WASM memory never shrinks, so one huge input at once would keep three times
 * its size for the life of the process.
 */
const PIECE_BYTES = 256 * 1024

/** Loads the WASM module once. `hashBytes` is synchronous afterwards. */
export function initHash(): Promise<void> {
  loading ??= xxhash().then((module) => {
    wasm = module
  })
  return loading
}

/** The address of these bytes: XXH64 with seed 0. A string stands for its UTF-8 bytes (a lone surrogate for U+FFFD). */
export function hashBytes(bytes: Uint8Array | string): Hash {
  if (wasm === undefined) throw new AppError('INTERNAL', 'Hashing is not ready: await initHash() at start.', {})
  const h64 = bytes.length > PIECE_BYTES ? inPieces(wasm, bytes) : small(wasm, bytes)
  // base32Of64 writes exactly the form that `hashSchema` describes; base32.test.ts holds the two together.
  return base32Of64(Number(h64 >> 32n), Number(h64 & 0xffff_ffffn)) as Hash
}

function small(module: Xxhash, bytes: Uint8Array | string): bigint {
  return typeof bytes === 'string' ? module.h64(bytes) : module.h64Raw(bytes)
}

function inPieces(module: Xxhash, bytes: Uint8Array | string): bigint {
  const all = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes
  const state = module.create64()
  for (let at = 0; at < all.length; at += PIECE_BYTES) state.update(all.subarray(at, at + PIECE_BYTES))
  return state.digest()
}

/**
 * What proves an object and all it refers to: SHA-256 of its bytes followed by the digests of its refs (32 bytes each) in
 * the order of its refs.
 */
export function digestOf(bytes: Uint8Array | string, refDigests: readonly Uint8Array[]): Buffer {
  const sha = createHash('sha256')
  if (typeof bytes === 'string') sha.update(bytes, 'utf8')
  else sha.update(bytes)
  for (const digest of refDigests) sha.update(digest)
  return sha.digest()
}
