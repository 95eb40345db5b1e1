import { expect, test } from 'vitest'
import { gate } from './gate'

test('so many go on at once and no more, in the order they came, and one that fails gives its place on', async () => {
  const enter = gate(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  const work = (n: number) =>
    enter(async () => {
      began.push(n)
      await new Promise<void>((resolve) => {
        ends[n] = resolve
      })
      if (n === 0) throw new Error('failed')
      return n
    })
  const all = [work(0), work(1), work(2), work(3)]
  const results = Promise.allSettled(all)
  expect(began).toEqual([0, 1])
  ends[0]?.()
  await all[0]?.catch(() => undefined)
  await Promise.resolve()
  expect(began).toEqual([0, 1, 2])
  ends[2]?.()
  expect(await all[2]).toBe(2)
  expect(began).toEqual([0, 1, 2, 3])
  ends[1]?.()
  ends[3]?.()
  expect((await results).map((result) => result.status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  // Two places are free again.
  const later = [work(4), work(5)]
  expect(began.slice(4)).toEqual([4, 5])
  for (const n of [4, 5]) ends[n]?.()
  await Promise.all(later)
})
