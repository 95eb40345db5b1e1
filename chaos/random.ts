/** Random numbers that a seed decides: the same seed gives the same sequence. */
export type Random = {
  /** 0 ≤ x < 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
  /** Undefined when there is nothing to pick from. */
  pickAny<T>(from: readonly T[]): T | undefined
}

/** Mulberry32: 32 bits of state, enough to vary a test. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const index = (length: number) => Math.floor(next() * length)
  return {
    next,
    between: (low, high) => low + index(high - low + 1),
    chance: (probability) => next() < probability,
    pick: (from) => from[index(from.length)] ?? from[0],
    pickAny: (from) => from[index(from.length)],
  }
}
