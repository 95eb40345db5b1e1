import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { EXIT_CODES } from '../exit-codes'
import { choosePort, DEFAULT_PORT } from './port'

test('a port that was asked for and is taken is refused by name; without one a free one is found', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await expect(choosePort(port)).rejects.toMatchObject({
    exitCode: EXIT_CODES.conflict,
    message: expect.stringContaining(`Port ${port}`),
  })
  server.close()
  await once(server, 'close')
  expect(await choosePort(port)).toBe(port)
  expect(await choosePort(undefined)).toBeGreaterThanOrEqual(DEFAULT_PORT)
})
