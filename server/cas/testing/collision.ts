const MASK = 2n ** 64n - 1n
const PRIME_1 = 0x9e3779b185ebca87n
const PRIME_2 = 0xc2b2ae3d27d4eb4fn

/**
 * Other bytes with the same XXH64 (seed 0), for an input of at least 64 bytes. Each of the hash's four lanes takes one 64-bit
 * word a block of 32 bytes: changing a word of the first block is made up for by the same lane's word of the second.
 */
export function collide(bytes: Buffer): Buffer {
  if (bytes.length < 64) throw new RangeError('two whole blocks of 32 bytes are needed')
  const other = Buffer.from(bytes)
  const [first, second] = [bytes.readBigUInt64LE(0), bytes.readBigUInt64LE(32)]
  const changed = first ^ 1n
  const seed = (PRIME_1 + PRIME_2) & MASK
  const difference = round(seed, first) - round(seed, changed)
  other.writeBigUInt64LE(changed, 0)
  other.writeBigUInt64LE((second + difference * inverse(PRIME_2)) & MASK, 32)
  return other
}

function round(lane: bigint, word: bigint): bigint {
  const sum = (lane + word * PRIME_2) & MASK
  return ((((sum << 31n) | (sum >> 33n)) & MASK) * PRIME_1) & MASK
}

/** Of an odd number modulo 2^64, by Newton's iteration: each step doubles the correct bits. */
function inverse(odd: bigint): bigint {
  let x = odd
  for (let bits = 3; bits < 64; bits *= 2) x = (x * (2n - odd * x)) & MASK
  return x & MASK
}
