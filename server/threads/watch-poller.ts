import { createBell } from '@/server/kernel/bell'

export type Poller = {
  /** Polls now and then every `intervalMs`, until `stop`. */
  start(): void
  stop(): void
  /** Something may have changed: poll soon. */
  hint(): void
  /** Resolves when a poll that began after this call has succeeded, or when the signal aborts. */
  fresh(signal: AbortSignal): Promise<void>
}

/**
 * One loop that calls `poll`, never twice at once. Hints that come while it polls, or less than `gapMs` after, become one
 * more poll. A poll that fails is told to `onError` and tried again at the next interval.
 */
export function createPoller(options: {
  poll: () => Promise<void>
  onError: (error: unknown) => void
  intervalMs: number
  gapMs: number
}): Poller {
  const succeeded = createBell()
  let timer: NodeJS.Timeout | null = null
  let running = false
  let polling = false
  let hinted = false
  let begun = 0
  let newestSuccess = 0
  let endedAt = Number.NEGATIVE_INFINITY

  function schedule(delayMs: number) {
    if (timer !== null) clearTimeout(timer)
    timer = running ? setTimeout(run, delayMs) : null
  }

  async function run() {
    polling = true
    hinted = false
    const number = ++begun
    let failed = false
    try {
      await options.poll()
      newestSuccess = number
      succeeded.ring()
    } catch (error) {
      failed = true
      options.onError(error)
    }
    polling = false
    endedAt = performance.now()
    schedule(hinted && !failed ? options.gapMs : options.intervalMs)
  }

  function hint() {
    if (hinted || !running) return
    hinted = true
    if (!polling) schedule(Math.max(0, options.gapMs - (performance.now() - endedAt)))
  }

  return {
    start() {
      if (running) return
      running = true
      if (!polling) schedule(0)
    },
    stop() {
      running = false
      hinted = false
      schedule(0)
    },
    hint,
    async fresh(signal) {
      const wanted = begun + 1
      hint()
      while (newestSuccess < wanted && !signal.aborted) await succeeded.wait(signal)
    },
  }
}
