import { expect, it } from 'vitest'
import { coalesce } from './coalesce'

it('turns calls that come while the work runs into one more run', async () => {
  let runs = 0
  const releases: (() => void)[] = []
  const call = coalesce(() => {
    runs += 1
    return new Promise<void>((resolve) => releases.push(resolve))
  })
  call()
  call()
  call()
  expect(runs).toBe(1)
  releases[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  expect(runs).toBe(2)
  releases[1]?.()
  await Promise.resolve()
  await Promise.resolve()
  expect(runs).toBe(2)
  call()
  expect(runs).toBe(3)
})
