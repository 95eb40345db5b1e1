import { expect, test } from 'vitest'
import { OutOfTime, withinTime } from './within-time'

const MS = 100

/** Passes time without using a processor, as a process does that is stopped or does not get its turn. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('work that uses up its processor time is ended, also in the search of a regular expression', () => {
  expect(() =>
    withinTime(() => {
      for (;;);
    }, MS),
  ).toThrow(OutOfTime)
  expect(() => withinTime(() => /^(a+)+$/.test(`${'a'.repeat(40)}!`), MS)).toThrow(OutOfTime)
})

test('work is not blamed for the time that its process stood still', () => {
  let tries = 0
  const work = () => {
    tries += 1
    if (tries <= 2) standStill(MS * 3)
    return 'done'
  }
  expect(withinTime(work, MS)).toBe('done')
  expect(tries).toBe(3)
})

test('an error of the work comes out as it is', () => {
  expect(() =>
    withinTime(() => {
      throw new RangeError('too deep')
    }, MS),
  ).toThrow(RangeError)
})
