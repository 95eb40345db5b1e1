import { request as httpRequest } from 'node:http'
import { createLoginLink } from '@/server/access/sessions'
import { expect, test } from './support/fixtures'

test.use({ storageState: { cookies: [], origins: [] } })

test('a login link lets in the browser that opens it first, and no other', async ({
  browser,
  page,
  stack,
  database,
}) => {
  const link = await createLoginLink(database, stack.url)
  await page.goto(link)
  await expect(page.getByRole('heading', { level: 1, name: 'Threads' })).toBeVisible()

  const other = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const second = await other.newPage()
  const answer = await second.goto(link)
  expect(answer?.status()).toBe(401)
  await expect(second.getByRole('heading')).toContainText('used before')
  await other.close()
})

test('a browser that nobody logged in sees no page and reads nothing, and is told what to do', async ({
  page,
  stack,
}) => {
  for (const path of ['/threads', '/workflows', '/runners', '/system']) {
    const answer = await page.goto(path)
    expect(answer?.status(), path).toBe(401)
    await expect(page.getByText('This browser is not signed in')).toBeVisible()
    await expect(page.getByText('npx cairn open')).toBeVisible()
  }
  const api = await fetch(`${stack.url}/api/trpc/system.info?input=%7B%7D`)
  expect(api.status).toBe(401)
})

test('a request under another host name is refused on every path, also with a valid key', async ({ stack }) => {
  const statusOf = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(stack.url)
      httpRequest({ hostname, port, path, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  const authorization = `Bearer ${stack.key}`
  const { port } = new URL(stack.url)
  for (const path of ['/threads', '/login?token=none', '/api/trpc/system.info?input=%7B%7D']) {
    expect(await statusOf(path, { authorization, host: `rebound.example:${port}` }), path).toBe(403)
  }
  expect(await statusOf('/api/trpc/system.info?input=%7B%7D', { authorization })).toBe(200)
})
