import { mkdtemp, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from './exec'

const options = (overrides = {}) => ({
  signal: new AbortController().signal,
  maxOutputBytes: 10_000,
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
const grants = (...commands: string[]) => ({ exec: commands.map((command) => ({ command, folders: [] })) })

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

  test('a timeout and an abort end the whole process group', async () => {
    await expect(
      runCommand(request('sh', ['-c', 'sleep 60 & sleep 60'], { timeoutMs: 50 }), grants('sh'), options()),
    ).rejects.toMatchObject({ code: 'TIMEOUT' })
    const controller = new AbortController()
    const running = runCommand(
      request('sh', ['-c', 'sleep 60 & echo up; sleep 60']),
      grants('sh'),
      options({ signal: controller.signal }),
    )
    controller.abort()
    await expect(running).rejects.toMatchObject({ code: 'TIMEOUT' })
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
