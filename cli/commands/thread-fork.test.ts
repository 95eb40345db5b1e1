import { expect, test } from 'vitest'
import { forkPoint } from './thread-fork'

test.each([
  [{}, undefined],
  [{ step: 0 }, { step: 0 }],
  [{ hash: '0K3V7Z2M9Q4TX' }, { hash: '0K3V7Z2M9Q4TX' }],
  [{ role: 'survey' }, { role: 'survey' }],
  [{ role: 'survey:2' }, { role: 'survey', run: 2 }],
])('the place of a fork: %j', (options, point) => {
  expect(forkPoint(options)).toEqual(point)
})

test.each([
  [{ step: 1, role: 'survey' }, 'Give one of'],
  [{ role: 'survey:0' }, 'names no run'],
  [{ role: 'survey:last' }, 'names no run'],
  [{ role: 'survey:' }, 'names no run'],
])('a place that is no place is wrong usage: %j', (options, message) => {
  expect(() => forkPoint(options)).toThrow(message)
})
