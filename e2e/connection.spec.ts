import type { Client } from '@/cli/client'
import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'
import type { Stack } from './support/stack'

/** Kills the web server, which is then started again. */
async function stopWeb(stack: Stack): Promise<void> {
  expect((await fetch(`${stack.control}/stop-web`, { method: 'POST' })).status).toBe(204)
}

/** The API is away for a moment: until it answers, it has no steps. */
async function waitForSteps(api: Client, id: string, steps: number): Promise<void> {
  const count = () =>
    api.thread.get
      .query({ id })
      .then((thread) => thread.steps)
      .catch(() => null)
  await expect.poll(count).toBe(steps)
}

test('a browser that was offline while steps were made misses none and sees none twice', async ({
  page,
  context,
  api,
  stack,
  startGated,
}) => {
  const { id, open } = await startGated(4)
  const thread = new ThreadPage(page)
  await thread.open(id)
  const expectSameDocument = await thread.markDocument()
  open(1)
  await thread.expectSteps(['gate'])

  // Offline alone leaves open connections open; what ends them here ends them for good, since no new one can be made.
  await context.setOffline(true)
  await stopWeb(stack)
  await thread.expectConnection('reconnecting')
  open(2)
  open(3)
  await waitForSteps(api, id, 3)
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

  await stopWeb(stack)
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
