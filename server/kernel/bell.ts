/** Wakes whoever waits now; a ring that nobody waits for is forgotten. */
export type Bell = {
  ring(): void
  /** Resolves at the next ring, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
  const waiting = new Set<() => void>()
  return {
    ring() {
      for (const wake of [...waiting]) wake()
    },
    wait(signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
      })
    },
  }
}
