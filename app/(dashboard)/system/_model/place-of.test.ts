import { expect, it } from 'vitest'
import { placeOf } from './place-of'

it('leads to threads, objects and workflows, and nowhere for anything else', () => {
  expect(placeOf('01KBB0Z9T9Q6W4S8K9K8M1N2P3')).toBe('/threads/01KBB0Z9T9Q6W4S8K9K8M1N2P3')
  expect(placeOf('0K3V7Z2M9Q4TX')).toBe('/cas/0K3V7Z2M9Q4TX')
  expect(placeOf('solve-issue')).toBe('/workflows/solve-issue')
  expect(placeOf('host:4711:x')).toBeNull()
})
