import { spawn } from 'node:child_process'
import { mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Grants } from '@/server/registry/views'
import { commandSet, commandsEnded } from './exec'
import type { CommandOptions, ExecRequest } from './run-command'
import { processes } from './testing/processes'
import { until } from './testing/until'

const options = (overrides = {}) => ({
  signal: new AbortController().signal,
  maxOutputBytes: 10_000,
  graceMs: 5_000,
  dryRun: false,
  ...overrides,
})
const request = (command: string, args: string[], overrides = {}) => ({
  command,
  args,
  cwd: tmpdir(),
  stdin: null,
  timeoutMs: 10_000,
  ...overrides,
})
const runCommand = (given: ExecRequest, granted: Grants, how: CommandOptions) => commandSet().run(given, granted, how)
const grants = (...commands: string[]) => ({ exec: commands.map((command) => ({ command, folders: [] })) })

/** Processes whose command line has this mark. */
const sleeping = (mark: string) => processes().filter(({ command }) => command.includes(mark))

describe('exec', () => {
  test('a command that was not granted is refused by name, and the message says how to grant it', async () => {
    await expect(runCommand(request('rm', []), grants('git'), options())).rejects.toMatchObject({
      code: 'NOT_GRANTED',
      data: { permission: 'exec:rm' },
    })
  })

  test('arguments reach the command as they are: there is no shell', async () => {
    const result = await runCommand(request('printf', ['%s', '$(id); "a" `b`']), grants('printf'), options())
    expect(result).toMatchObject({ exitCode: 0, stdout: '$(id); "a" `b`' })
  })

  test('the environment of the runner is not passed on', async () => {
    process.env.CAIRN_TEST_SECRET = 'hidden'
    const result = await runCommand(request('env', []), grants('env'), options())
    delete process.env.CAIRN_TEST_SECRET
    expect(result.stdout).not.toContain('hidden')
    expect(result.stdout).not.toContain('HOME=')
  })

  test('a failing command is a result with its exit code and stderr', async () => {
    const result = await runCommand(request('ls', ['/does/not/exist']), grants('ls'), options())
    expect(result.exitCode).not.toBe(0)
    expect(result.stderr).toContain('/does/not/exist')
  })

  test('stdin is given', async () => {
    expect(await runCommand(request('cat', [], { stdin: 'in' }), grants('cat'), options())).toMatchObject({
      stdout: 'in',
    })
  })

  test('output beyond the bound ends the command and names the bound', async () => {
    await expect(runCommand(request('yes', []), grants('yes'), options())).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      data: { limit: 'commandOutputBytes' },
    })
  })

  test('a timeout ends the command with all of its group, and the error names the bound', async () => {
    const mark = `300.${Date.now()}1`
    await expect(
      runCommand(request('sh', ['-c', `sleep ${mark} & sleep ${mark}`], { timeoutMs: 50 }), grants('sh'), options()),
    ).rejects.toMatchObject({ code: 'TIMEOUT', data: { afterMs: 50 } })
    expect(sleeping(mark)).toEqual([])
  })

  test('the working folder must lie in a granted one, links resolved', async () => {
    const inside = await realpath(await mkdtemp(path.join(tmpdir(), 'granted-')))
    await symlink('/', path.join(inside, 'out'))
    const only = { exec: [{ command: 'pwd', folders: [inside] }] }
    expect(await runCommand(request('pwd', [], { cwd: inside }), only, options())).toMatchObject({
      stdout: `${inside}\n`,
    })
    await expect(
      runCommand(request('pwd', [], { cwd: path.join(inside, 'out') }), only, options()),
    ).rejects.toMatchObject({ code: 'NOT_GRANTED' })
    await expect(runCommand(request('pwd', [], { cwd: `${inside}-sibling` }), only, options())).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
  })

  test('a dry run runs nothing', async () => {
    await expect(runCommand(request('env', []), grants('env'), options({ dryRun: true }))).rejects.toThrow('dry run')
  })

  test('a command that is not installed is named', async () => {
    await expect(
      runCommand(request('no-such-command', []), grants('no-such-command'), options()),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe.runIf(process.platform === 'linux')('the end of a command', () => {
  /** Ignores SIGTERM, and so do its children: one in its group, one in a session of its own, one that lost its parent. */
  const stubborn = (mark: string) =>
    `trap '' TERM
     sleep ${mark} &
     setsid sleep ${mark} &
     setsid sh -c 'sleep ${mark} & exit' &
     echo up; sleep ${mark}; sleep ${mark}; sleep ${mark}`

  test('a command that ignores SIGTERM is gone with all that it started when the grace is over, and its pipes are closed', async () => {
    const mark = `301.${Date.now()}`
    const controller = new AbortController()
    const set = commandSet()
    const running = set.run(
      request('sh', ['-c', stubborn(mark)], { timeoutMs: null }),
      grants('sh'),
      options({ signal: controller.signal, graceMs: 300 }),
    )
    const failed = expect(running).rejects.toMatchObject({ code: 'TIMEOUT' })
    await until(
      () => sleeping(mark).filter(({ command }) => command.startsWith('sleep')),
      (seen) => seen.length === 4,
    )
    const began = performance.now()
    controller.abort()
    await failed
    expect(sleeping(mark)).toEqual([])
    expect(performance.now() - began).toBeGreaterThan(290)
    await set.ended()
    await commandsEnded()
  })

  test('a command that heeds SIGTERM is given the time to, and is not waited for longer than it takes', async () => {
    const controller = new AbortController()
    const began = performance.now()
    const mark = `302.${Date.now()}`
    const folder = await mkdtemp(path.join(tmpdir(), 'heeds-'))
    const running = runCommand(
      request('sh', ['-c', `trap 'echo tidied > done; exit' TERM; sleep ${mark} & wait`], { cwd: folder }),
      grants('sh'),
      options({ signal: controller.signal, graceMs: 60_000 }),
    )
    const failed = expect(running).rejects.toMatchObject({ code: 'TIMEOUT' })
    await until(
      () => sleeping(mark).filter(({ command }) => command.startsWith('sleep')),
      (seen) => seen.length === 1,
    )
    controller.abort()
    await failed
    expect(await readFile(path.join(folder, 'done'), 'utf8')).toBe('tidied\n')
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  test('what a command left in the background outlives the command and not its run', async () => {
    const mark = `303.${Date.now()}`
    const set = commandSet()
    const other = commandSet()
    const leave = request('sh', ['-c', `setsid sleep ${mark} >/dev/null 2>&1 </dev/null &`])
    await set.run(leave, grants('sh'), options({ graceMs: 100 }))
    await until(
      () => sleeping(mark),
      (seen) => seen.length === 1,
    )
    await other.ended()
    expect(sleeping(mark)).toHaveLength(1)
    await set.ended()
    expect(sleeping(mark)).toEqual([])
  })

  test('the timeout of one command leaves the other commands of the same run alone', async () => {
    const set = commandSet()
    const folder = await mkdtemp(path.join(tmpdir(), 'beside-'))
    const beside = set.run(
      request('sh', ['-c', 'while [ ! -e go ]; do sleep 0.01; done; echo fine'], { cwd: folder }),
      grants('sh'),
      options(),
    )
    await expect(
      set.run(request('sleep', ['60'], { timeoutMs: 20 }), grants('sleep'), options()),
    ).rejects.toMatchObject({ code: 'TIMEOUT' })
    await writeFile(path.join(folder, 'go'), '')
    expect(await beside).toMatchObject({ exitCode: 0, stdout: 'fine\n' })
  })

  test('no command begins once its run is over', async () => {
    const set = commandSet()
    await expect(set.run(request('env', []), grants('env'), options({ signal: AbortSignal.abort() }))).rejects.toThrow(
      /was not run/,
    )
  })

  test('a command that is ended by a signal has its number as exit code', async () => {
    expect(await runCommand(request('sh', ['-c', 'kill -SEGV $$']), grants('sh'), options())).toMatchObject({
      exitCode: 139,
    })
  })

  test('the commands of a runner that is killed end too, also those that left its group', async () => {
    const mark = `304.${Date.now()}`
    const script = `
      import { commandSet } from '@/server/runner/exec'
      void commandSet().run(
        { command: 'sh', args: ['-c', 'setsid sleep ${mark} & sleep ${mark}'], cwd: '/', stdin: null, timeoutMs: null },
        { exec: [{ command: 'sh', folders: [] }] },
        { signal: new AbortController().signal, maxOutputBytes: 1000, graceMs: 1000, dryRun: false },
      )`
    const runner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: 'inherit',
    })
    try {
      await until(
        () => sleeping(mark).filter(({ command }) => command.startsWith('sleep')),
        (seen) => seen.length === 2,
      )
    } finally {
      runner.kill('SIGKILL')
    }
    await until(
      () => sleeping(mark),
      (seen) => seen.length === 0,
    )
  })
})
