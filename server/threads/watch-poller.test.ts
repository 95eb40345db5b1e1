import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPoller } from './watch-poller'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const INTERVAL = 1_000
const GAP = 10
const forever = new AbortController().signal

/** A poller whose polls take `ms`, and the times at which they began. */
function polling(ms: number, fails: () => boolean = () => false) {
  const began: number[] = []
  let running = 0
  const errors: unknown[] = []
  const start = performance.now()
  const poller = createPoller({
    async poll() {
      running++
      expect(running).toBe(1)
      began.push(performance.now() - start)
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
      running--
      if (fails()) throw new Error('away')
    },
    onError: (error) => errors.push(error),
    intervalMs: INTERVAL,
    gapMs: GAP,
  })
  return { poller, began, errors }
}

it('it polls at once and then at each interval, until it is stopped', async () => {
  const { poller, began } = polling(0)
  poller.start()
  poller.start()
  await vi.advanceTimersByTimeAsync(2 * INTERVAL + 5)
  expect(began).toEqual([0, INTERVAL, 2 * INTERVAL])
  poller.stop()
  await vi.advanceTimersByTimeAsync(10 * INTERVAL)
  expect(began).toHaveLength(3)
  expect(vi.getTimerCount()).toBe(0)
})

it('a hint after a quiet time polls at once', async () => {
  const { poller, began } = polling(0)
  poller.start()
  await vi.advanceTimersByTimeAsync(500)
  poller.hint()
  await vi.advanceTimersByTimeAsync(1)
  expect(began).toEqual([0, 500])
})

it('any number of hints during a poll make one more, after the gap', async () => {
  const { poller, began } = polling(50)
  poller.start()
  await vi.advanceTimersByTimeAsync(1)
  for (let n = 0; n < 100; n++) poller.hint()
  await vi.advanceTimersByTimeAsync(200)
  expect(began).toEqual([0, 50 + GAP])
})

it('a steady stream of hints polls no more often than the gap allows', async () => {
  const { poller, began } = polling(0)
  poller.start()
  for (let ms = 0; ms < 500; ms++) {
    poller.hint()
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(began.length).toBeGreaterThan(40)
  expect(began.length).toBeLessThanOrEqual(51)
})

it('a failed poll is told and tried again at the interval, whatever hints say', async () => {
  let away = true
  const { poller, began, errors } = polling(10, () => away)
  poller.start()
  await vi.advanceTimersByTimeAsync(5)
  poller.hint()
  await vi.advanceTimersByTimeAsync(INTERVAL / 2)
  expect(errors).toHaveLength(1)
  away = false
  await vi.advanceTimersByTimeAsync(INTERVAL)
  expect(began).toEqual([0, 10 + INTERVAL])
  expect(errors).toHaveLength(1)
})

it('fresh waits for a poll that began after it was asked, not for one under way', async () => {
  const { poller, began } = polling(50)
  poller.start()
  await vi.advanceTimersByTimeAsync(20)
  let isFresh = false
  void poller.fresh(forever).then(() => {
    isFresh = true
  })
  await vi.advanceTimersByTimeAsync(35)
  expect([began.length, isFresh]).toEqual([1, false])
  await vi.advanceTimersByTimeAsync(100)
  expect([began.length, isFresh]).toEqual([2, true])
})

it('fresh gives up when its signal aborts', async () => {
  const { poller } = polling(0, () => true)
  poller.start()
  const leaving = new AbortController()
  const waiting = poller.fresh(leaving.signal)
  await vi.advanceTimersByTimeAsync(INTERVAL)
  leaving.abort()
  await waiting
})
