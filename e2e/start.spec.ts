import { RunPage } from './pages/run-page'
import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

test('a thread started from the form shows each step and its end without a reload', async ({ page, gates }) => {
  const run = new RunPage(page)
  await run.open('gated')
  await run.fill({ prompt: 'Pass **two** gates.', tags: 'from-form', input: { folder: gates.folder, steps: '2' } })
  const id = await run.submit()

  const thread = new ThreadPage(page)
  const expectSameDocument = await thread.markDocument()
  await thread.expectStatus('running')
  await thread.expectSteps([])

  gates.open(1)
  await expect(thread.step(1, 'gate')).toContainText('Gate 1 is open.')
  await thread.expectSteps(['gate'])
  await thread.expectStatus('running')

  gates.open(2)
  await thread.expectSteps(['gate', 'gate', 'close'])
  await thread.expectStatus('completed')
  await expect(page.getByRole('region', { name: 'Outcome' })).toContainText('Passed 2 gates.')
  await thread.expectConnection('over')
  await expectSameDocument()

  await page.getByRole('link', { name: 'Threads' }).filter({ visible: true }).first().click()
  const row = page.locator(`[data-thread="${id}"]`)
  await expect(row).toContainText('from-form')
  await expect(row.locator('[data-status]')).toHaveAttribute('data-status', 'completed')
})

test('the list shows a new thread and its end without a reload', async ({ page, startGated }) => {
  await page.goto('/threads')
  await expect(page.locator('[data-connection="live"]')).toBeVisible()
  const thread = await startGated(1)
  const status = page.locator(`[data-thread="${thread.id}"] [data-status]`)
  await expect(status).toHaveAttribute('data-status', 'running')
  thread.open(1)
  await expect(status).toHaveAttribute('data-status', 'completed')
})

test('input that the workflow does not take is refused at its field, and nothing is started', async ({ page }) => {
  const run = new RunPage(page)
  await run.open('hello')
  await run.fill({ prompt: 'Too many.', input: { steps: '10001' } })
  await page.getByRole('button', { name: 'Start the thread' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible()
  await expect(page).toHaveURL(/\/workflows\/hello\/run$/)
})
