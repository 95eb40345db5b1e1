import { expect, it } from 'vitest'
import { type ForkDraft, forkRequest } from './fork-request'

const source = { id: 'T', workflow: 'hello', prompt: 'Stack.', input: { steps: 3 } }
const same: ForkDraft = {
  keep: 2,
  prompt: 'Stack.',
  input: { steps: 3 },
  version: '',
  maxRounds: '',
  step: null,
  reason: ' ',
}

it('a fork that changes nothing names no overrides, so that it shares the start of its source', () => {
  expect(forkRequest(source, same)).toEqual({ id: 'T', at: { step: 2 } })
  expect(forkRequest(source, { ...same, input: undefined })).toEqual({ id: 'T', at: { step: 2 } })
})

it('names each thing that was changed, and only that', () => {
  const step = { role: 'greet', content: 'Hello', meta: {} }
  const draft = { ...same, input: { steps: 4 }, version: '0K3V7Z2M9Q4TX', maxRounds: '7', step, reason: 'a better one' }
  expect(forkRequest(source, draft)).toEqual({
    id: 'T',
    at: { step: 2 },
    reason: 'a better one',
    overrides: { input: { steps: 4 }, workflow: 'hello@0K3V7Z2M9Q4TX', maxRounds: 7, step },
  })
  expect(forkRequest(source, { ...same, prompt: '' })).toEqual({ id: 'T', at: { step: 2 }, overrides: { prompt: '' } })
})
