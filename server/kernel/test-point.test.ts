import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { onTestPoint, testPoint } from './test-point'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

test('a point does nothing unless a test asked for it, and calls back exactly as long as it is asked', async () => {
  let calls = 0
  await testPoint('append:before-flush')
  const stop = onTestPoint('append:before-flush', () => {
    calls += 1
  })
  await testPoint('append:before-flush')
  await testPoint('append:after-flush')
  stop()
  await testPoint('append:before-flush')
  expect(calls).toBe(1)
})

test('a handler that throws makes the point throw', async () => {
  const stop = onTestPoint('a', () => {
    throw new Error('made to fail')
  })
  await expect(testPoint('a')).rejects.toThrow('made to fail')
  stop()
})

test('a process that was started with a folder waits at the point its file names until the file is gone', async () => {
  const points = mkdtempSync(join(tmpdir(), 'cairn-points-'))
  vi.stubEnv('CAIRN_TEST_POINTS', points)
  vi.resetModules()
  const fresh = await import('./test-point')
  const order = join(points, fresh.fileNameOf('append:before-flush'))
  writeFileSync(order, 'wait')
  await fresh.testPoint('another:point')
  let passed = false
  const waiting = fresh.testPoint('append:before-flush').then(() => {
    passed = true
  })
  await vi.waitFor(() => expect(existsSync(`${order}.reached`)).toBe(true))
  expect(passed).toBe(false)
  rmSync(order)
  await waiting
  writeFileSync(order, 'throw')
  await expect(fresh.testPoint('append:before-flush')).rejects.toThrow('Made to fail')
  rmSync(points, { recursive: true })
})
