import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { EXIT_CODES } from '../exit-codes'
import { findHolder, lockFolder } from './lock'
import { cairnPaths } from './paths'
import { moduleUrl, runSource } from './testing/processes'

const root = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
afterAll(() => rmSync(root, { recursive: true }))

let folders = 0
const newPaths = () => cairnPaths(join(root, `folder-${folders++}`))

describe('the lock of a folder', () => {
  test('is held by one process; a second one learns where the first is', async () => {
    const paths = newPaths()
    const lock = await lockFolder(paths)
    writeFileSync(
      paths.server,
      JSON.stringify({ url: 'http://127.0.0.1:4499', pid: process.pid, database: 'embedded' }),
    )
    await expect(lockFolder(paths)).rejects.toMatchObject({
      exitCode: EXIT_CODES.conflict,
      message: expect.stringContaining(`http://127.0.0.1:4499 (process ${process.pid})`),
    })
    await lock.release()
    expect(await findHolder(paths)).toBeNull()
    await (await lockFolder(paths)).release()
  })

  test('is taken over from a process that is gone, also when another has its number now', async () => {
    const paths = newPaths()
    mkdirSync(paths.root)
    writeFileSync(paths.lock, JSON.stringify({ pid: process.pid, birth: 'of another process' }))
    await (await lockFolder(paths)).release()
    writeFileSync(paths.lock, 'cut o')
    await (await lockFolder(paths)).release()
    expect(existsSync(paths.lock)).toBe(false)
  })

  test('goes to exactly one of many processes that find a stale one at the same moment', async () => {
    const paths = newPaths()
    mkdirSync(paths.root)
    writeFileSync(paths.lock, JSON.stringify({ pid: 2 ** 22 + 1, birth: '1' }))
    const contender = `
      import { lockFolder } from '${moduleUrl('cli/up/lock.ts')}'
      import { cairnPaths } from '${moduleUrl('cli/up/paths.ts')}'
      const won = await lockFolder(cairnPaths(${JSON.stringify(paths.root)})).then(() => true, (error) => error.message)
      console.log(won === true ? 'won' : won)
      setInterval(() => {}, 1000)`
    const contenders = Array.from({ length: 3 }, () => runSource(contender))
    const lines = await Promise.all(contenders.map(({ line }) => line()))
    for (const { process } of contenders) process.kill('SIGKILL')
    expect(lines.filter((line) => line === 'won')).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('Cairn runs already'))).toHaveLength(2)
  }, 30_000)

  test('a folder that cannot be made says so and what to do', async () => {
    writeFileSync(join(root, 'file'), '')
    await expect(lockFolder(cairnPaths(join(root, 'file/below')))).rejects.toThrow(
      /cannot be written \(ENOTDIR\).*--dir/,
    )
  })
})
