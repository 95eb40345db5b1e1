import { expect, it } from 'vitest'
import { targetOf } from './palette-target'

it.each([
  ['01KBAZZZZZZZZZZZZZZZZZZZZZ', '/threads/01KBAZZZZZZZZZZZZZZZZZZZZZ'],
  [' 01kbazzzzzzzzzzzzzzzzzzzzz\n', '/threads/01KBAZZZZZZZZZZZZZZZZZZZZZ'],
  ['0K3V7Z2M9Q4TX', '/cas/0K3V7Z2M9Q4TX'],
  ['GK3V7Z2M9Q4TX', undefined],
  ['repo-report', undefined],
  ['', undefined],
])('%j leads to %s', (text, href) => {
  expect(targetOf(text)?.href).toBe(href)
})
