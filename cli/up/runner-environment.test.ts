import { expect, test } from 'vitest'
import { runnerEnvironment } from './runner-environment'

test('what is not said about the runner is left to its own environment and defaults', () => {
  expect(runnerEnvironment({ label: [], permission: [], capacity: undefined })).toEqual({})
})

test('labels, permissions and capacity reach the runner as it reads them', () => {
  expect(runnerEnvironment({ label: ['gpu', 'linux'], permission: ['exec:git'], capacity: 4 })).toEqual({
    CAIRN_LABELS: 'gpu,linux',
    CAIRN_PERMISSIONS: 'exec:git',
    CAIRN_CAPACITY: '4',
  })
})
