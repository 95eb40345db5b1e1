import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

test('a browser that was offline while steps were made misses none and sees none twice', async ({
  page,
  context,
  api,
  startGated,
}) => {
  const { id, open } = await startGated(4)
  const thread = new ThreadPage(page)
  await thread.open(id)
  const expectSameDocument = await thread.markDocument()
  open(1)
  await thread.expectSteps(['gate'])

  await context.setOffline(true)
  await thread.expectConnection('reconnecting')
  open(2)
  open(3)
  await expect.poll(async () => (await api.thread.get.query({ id })).steps).toBe(3)
  await thread.expectSteps(['gate'])

  await context.setOffline(false)
  await thread.expectConnection('live')
  await thread.expectSteps(['gate', 'gate', 'gate'])
  open(4)
  await thread.expectSteps(['gate', 'gate', 'gate', 'gate', 'close'])
  await thread.expectStatus('completed')
  await expectSameDocument()
})

test('a browser misses nothing when the web server is killed and started again', async ({
  page,
  stack,
  startGated,
}) => {
  const { id, open } = await startGated(3)
  const thread = new ThreadPage(page)
  await thread.open(id)
  const expectSameDocument = await thread.markDocument()
  open(1)
  await thread.expectSteps(['gate'])

  expect((await fetch(`${stack.control}/stop-web`, { method: 'POST' })).status).toBe(204)
  await thread.expectConnection('reconnecting')
  // The runner needs no web server.
  open(2)
  await thread.expectConnection('live')
  await thread.expectSteps(['gate', 'gate'])
  open(3)
  await thread.expectSteps(['gate', 'gate', 'gate', 'close'])
  await thread.expectStatus('completed')
  await expectSameDocument()
})
