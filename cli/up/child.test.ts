import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type Child, type ChildOptions, startChild } from './child'
import { isRunning, moduleUrl, runSource } from './testing/processes'

const folder = mkdtempSync(join(tmpdir(), 'cairn-child-'))
const started: Child[] = []
afterEach(() => Promise.all(started.splice(0).map((child) => child.stop())))
afterAll(() => rmSync(folder, { recursive: true }))

let scripts = 0
function script(source: string): ChildOptions {
  const name = `script-${scripts++}`
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, source)
  const logFile = join(folder, `${name}.log`)
  const env = { ...process.env }
  return { name, args: [file], env, cwd: folder, logFile, graceMs: 300, onRestart: () => undefined }
}
function start(options: ChildOptions): Child {
  const child = startChild(options)
  started.push(child)
  return child
}
const printed = (child: Child, text: string) =>
  expect.poll(() => child.recentOutput(), { timeout: 5000 }).toContain(text)
const gone = (pid: number) => expect.poll(() => isRunning(pid), { timeout: 8000 }).toBe(false)

const FOREVER = "console.log('ready ' + process.pid); setInterval(() => {}, 1000)"

describe('a supervised process', () => {
  test('that is killed is started again, and not after stop', async () => {
    const child = start(script(FOREVER))
    await printed(child, 'ready')
    const first = child.pid() ?? 0
    process.kill(first, 'SIGKILL')
    await expect
      .poll(() => child.pid() !== first && child.recentOutput().match(/ready/g)?.length, { timeout: 5000 })
      .toBe(2)
    const second = child.pid() ?? 0
    await child.stop()
    expect([isRunning(second), child.pid(), child.failures()]).toEqual([false, null, 1])
  })

  test('that ignores SIGTERM is killed after its grace time, and what it started goes with it', async () => {
    const stubborn = `
      import { spawn } from 'node:child_process'
      process.on('SIGTERM', () => {})
      const own = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'])
      console.log('ready ' + own.pid)
      const until = Date.now() + 60000
      process.once('SIGTERM', () => { while (Date.now() < until); })
      setInterval(() => {}, 1000)`
    const child = start(script(stubborn))
    await printed(child, 'ready')
    const own = Number(/ready (\d+)/.exec(child.recentOutput())?.[1])
    const pid = child.pid() ?? 0
    expect(isRunning(own)).toBe(true)
    await child.stop()
    await gone(own)
    expect(isRunning(pid)).toBe(false)
  })

  test('that has no handler of its own ends at once on SIGTERM', async () => {
    const child = start({ ...script(FOREVER), graceMs: 60_000 })
    await printed(child, 'ready')
    await child.stop()
    expect(child.pid()).toBeNull()
  })

  test('ends when its parent is killed, in order and whatever it holds open', async () => {
    const options = script(`
      import { appendFileSync } from 'node:fs'
      process.on('SIGTERM', () => appendFileSync('order.txt', 'drained'))
      console.log('ready'); setInterval(() => {}, 1000)`)
    const parent = runSource(`
      import { startChild } from '${moduleUrl('cli/up/child.ts')}'
      const child = startChild({ ...${JSON.stringify({ ...options, env: {} })}, env: process.env, onRestart: () => {} })
      console.log(child.pid())`)
    const pid = Number(await parent.line())
    await expect.poll(() => readFileSync(options.logFile, 'utf8'), { timeout: 5000 }).toContain('ready')
    parent.process.kill('SIGKILL')
    await gone(pid)
    expect(readFileSync(join(folder, 'order.txt'), 'utf8')).toBe('drained')
  })
})
