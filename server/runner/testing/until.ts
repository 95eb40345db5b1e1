import { setTimeout as pause } from 'node:timers/promises'

/** Looks until `accept` says yes to what it sees; rejects with the last thing seen after `seconds`. */
export async function until<T>(
  look: () => Promise<T> | T,
  accept: (seen: T) => boolean,
  { seconds = 30, everyMs = 10 }: { seconds?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const seen = await look()
    if (accept(seen)) return seen
    if (performance.now() > deadline)
      throw new Error(`Not seen within ${seconds} s; last: ${JSON.stringify(seen)?.slice(0, 2_000)}`)
    await pause(everyMs)
  }
}
