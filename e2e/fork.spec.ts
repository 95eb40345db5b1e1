import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

test('a fork with another result goes on from it, and is compared with its source', async ({ page, api }) => {
  const { id: source } = await api.thread.start.mutate({
    workflow: 'hello',
    prompt: 'Stack.',
    input: { name: 'Ada', steps: 2 },
  })
  const thread = new ThreadPage(page)
  await thread.open(source)
  await thread.expectSteps(['greet', 'stack', 'stack', 'farewell'])

  await thread.forkFrom(2, 'Fork with another result…')
  await expect(thread.dialog.getByLabel('Steps to share')).toHaveValue('1')
  await expect(thread.dialog.getByLabel('Role')).toHaveValue('stack')
  await thread.dialog.getByLabel('Content').fill('A boulder instead.')
  await thread.dialog.getByLabel('left').fill('0')
  await thread.dialog.getByLabel('Reason').fill('one stone is enough')
  await thread.dialog.getByRole('button', { name: 'Fork', exact: true }).click()

  await expect(page).not.toHaveURL(new RegExp(source))
  await thread.expectStatus('completed')
  const fork = thread.id()
  await thread.expectSteps(['greet', 'stack', 'farewell'])
  await expect(thread.step(2, 'stack')).toContainText('A boulder instead.')
  await expect(page.getByRole('main').getByText(/forked from/)).toBeVisible()
  await expect(thread.badge).toHaveAttribute('data-verified', 'ok')

  await thread.more('Compare with its source')
  await expect(page).toHaveURL(new RegExp(`/compare\\?a=${source}&b=${fork}`))
  await expect(page.getByRole('heading', { level: 1, name: 'Compare' })).toBeVisible()
  await expect(page.getByText('1 step is shared')).toBeVisible()
  const second = page.getByRole('article', { name: 'Step 2' })
  await expect(second).toHaveAttribute('data-differs', /content/)
  await expect(second).toContainText('A boulder instead.')

  await thread.open(source)
  await expect(page.getByRole('list', { name: 'Forks' }).locator(`[data-thread="${fork}"]`)).toBeVisible()
})

test('a thread compared with itself is the same throughout', async ({ page, api }) => {
  const { id } = await api.thread.start.mutate({ workflow: 'hello', prompt: 'Twice.', input: { steps: 1 } })
  await expect.poll(async () => (await api.thread.get.query({ id })).status).toBe('completed')
  await page.goto(`/compare?a=${id}&b=${id}`)
  await expect(page.getByText('The two are the same')).toBeVisible()
})
