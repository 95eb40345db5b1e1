import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findConnection } from './connection'
import { EXIT_CODES } from './exit-codes'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'cairn-connection-'))
  await mkdir(join(root, '.cairn'))
  await mkdir(join(root, 'a/b'), { recursive: true })
  await mkdir(join(root, 'a/.cairn'))
  await writeFile(
    join(root, '.cairn/server.json'),
    JSON.stringify({ url: 'http://127.0.0.1:4411', pid: 1, database: 'embedded' }),
  )
  await writeFile(join(root, '.cairn/key'), 'cairn_local\n')
  await writeFile(join(root, 'a/.cairn/server.json'), '{"url": "http')
})
afterAll(() => rm(root, { recursive: true }))

describe('the server and the key', () => {
  test('come from the nearest parent folder whose server.json can be read', async () => {
    expect(await findConnection({}, {}, join(root, 'a/b'))).toEqual({
      url: 'http://127.0.0.1:4411',
      key: 'cairn_local',
    })
  })
  test('flags come before the environment, and it before folders', async () => {
    const env = { CAIRN_URL: 'https://env.example/', CAIRN_KEY: 'cairn_env' }
    expect(await findConnection({}, env, root)).toEqual({ url: 'https://env.example', key: 'cairn_env' })
    const flags = { url: 'http://flag.example:1', key: 'cairn_flag' }
    expect(await findConnection(flags, env, root)).toEqual({ url: 'http://flag.example:1', key: 'cairn_flag' })
  })
  test('the key of a folder is never shown to another server than its own', async () => {
    expect((await findConnection({ url: 'https://other.example' }, {}, root)).key).toBeNull()
    expect((await findConnection({ url: 'http://127.0.0.1:4411/' }, {}, root)).key).toBe('cairn_local')
  })
  test('without any, the error says how to start or name one', async () => {
    const failure = findConnection({ dir: join(root, 'a') }, {}, root)
    await expect(failure).rejects.toMatchObject({
      exitCode: EXIT_CODES.unreachable,
      message: expect.stringMatching(/cairn up.*--url/),
    })
  })
  test('an address that is none is wrong usage', async () => {
    const failure = findConnection({ url: 'localhost:4400', key: 'x' }, {}, root)
    await expect(failure).rejects.toMatchObject({ exitCode: EXIT_CODES.usage })
  })
})
