export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many pieces of work go on at once; the others wait for their turn, in the order they came. */
export function gate(places: number): Gate {
  let free = places
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The place is handed on: nobody who comes now gets ahead.
      if (next === undefined) free += 1
      else next()
    }
  }
}
