import { expect, it } from 'vitest'
import { changeLimits, formatLimits } from './limits'

it('limits are set and taken away by name, and the others stay', () => {
  expect(changeLimits({ concurrency: 2, maxRounds: 9 }, ['labels=gpu,linux', 'overflow=drop'], ['maxRounds'])).toEqual({
    concurrency: 2,
    labels: ['gpu', 'linux'],
    overflow: 'drop',
  })
})

it.each([
  ['concurrency', /sets nothing. Write it like concurrency=2/],
  ['speed=9', /There is no limit "speed". Limits are maxRounds, /],
  ['concurrency=0', /concurrency: /],
  ['concurrency=fast', /concurrency: /],
  ['overflow=later', /overflow: /],
])('--set %s is refused with a sentence that says what can be set', (text, message) => {
  expect(() => changeLimits({}, [text], [])).toThrow(message)
})

it('limits are shown with their default and their ceiling, and none as such', () => {
  expect(formatLimits({ concurrency: 2, labels: ['gpu'] })).toEqual([
    'concurrency=2  (default 10000, at most 10000)',
    'labels=gpu',
  ])
  expect(formatLimits({})).toEqual(['none set; every limit has its default'])
})
