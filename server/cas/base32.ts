const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Crockford Base32 of a 64-bit number given as two unsigned 32-bit halves: 13 characters, big-endian. 13 × 5 bits are one
 * more than 64, so the first character holds only the top 4 bits.
 */
export function base32Of64(high: number, low: number): string {
  return (
    char(high >>> 28) +
    char(high >>> 23) +
    char(high >>> 18) +
    char(high >>> 13) +
    char(high >>> 8) +
    char(high >>> 3) +
    char((high << 2) | (low >>> 30)) +
    char(low >>> 25) +
    char(low >>> 20) +
    char(low >>> 15) +
    char(low >>> 10) +
    char(low >>> 5) +
    char(low)
  )
}

function char(bits: number): string {
  return ALPHABET.charAt(bits & 31)
}
