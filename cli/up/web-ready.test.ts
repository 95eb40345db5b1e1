import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { EXIT_CODES } from '../exit-codes'
import { startChild } from './child'
import { waitForWeb } from './web-ready'

const folder = mkdtempSync(join(tmpdir(), 'cairn-web-ready-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a server that took the port first is not taken for ours, however ready it is', async () => {
  const other = createServer((_request, response) => {
    response.setHeader('cairn-instance', 'theirs').end('{"status":"ready"}')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const web = startChild({
    name: 'web',
    args: ['-e', `require('node:http').createServer().listen(${port}, '127.0.0.1')`],
    env: { ...process.env },
    cwd: folder,
    logFile: join(folder, 'web.log'),
    graceMs: 300,
    onRestart: () => undefined,
  })
  try {
    const url = `http://127.0.0.1:${port}`
    const signal = new AbortController().signal
    await expect(waitForWeb({ url, instance: 'ours' }, web, signal)).rejects.toMatchObject({
      exitCode: EXIT_CODES.conflict,
      message: expect.stringContaining(url),
    })
    await expect(
      waitForWeb({ url, instance: 'theirs' }, { ...web, failures: () => 0 }, signal),
    ).resolves.toBeUndefined()
  } finally {
    await web.stop()
    other.close()
  }
})
