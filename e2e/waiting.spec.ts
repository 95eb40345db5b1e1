import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

test('a thread that waits for an approval goes on when it is given on its page', async ({ page, api }) => {
  const { id } = await api.thread.start.mutate({ workflow: 'approval', prompt: 'Announce it.', input: {} })
  await page.goto('/threads')
  const row = page.locator(`[data-thread="${id}"]`)
  await expect(row.locator('[data-status]')).toHaveAttribute('data-status', 'waiting')
  await expect(row).toContainText('waits for you')
  await row.click()

  const thread = new ThreadPage(page)
  await expect(thread.waiting).toContainText('good enough')
  const { items } = await api.thread.records.query({ id, limit: 100 })
  const draft = items.find((record) => record.kind === 'step')
  if (draft?.kind !== 'step') throw new Error('There is no draft.')
  await expect(thread.waiting.getByRole('link', { name: draft.contentHash })).toBeVisible()

  await thread.waiting.getByLabel('note').fill('Too long.')
  await thread.waiting.getByRole('button', { name: 'Reject' }).click()
  await expect(thread.step(3, 'draft')).toBeVisible()
  await expect(thread.step(2, 'review')).toContainText('Too long.')
  await thread.waiting.getByRole('button', { name: 'Approve' }).click()
  await thread.expectStatus('completed')
  await thread.expectSteps(['draft', 'review', 'draft', 'review', 'publish'])
  await expect(page.getByRole('list', { name: 'Inputs' }).getByRole('listitem')).toHaveCount(2)
})

test('a thread that waits for its children shows how each is doing, and the step links to them', async ({
  page,
  api,
  gates,
}) => {
  const { id } = await api.thread.start.mutate({
    workflow: 'caller',
    prompt: 'Have it done.',
    input: { folder: gates.folder },
  })
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('waiting')
  const targets = page.getByRole('list', { name: 'Threads that it waits for' })
  await expect(targets.locator('[data-status="running"]')).toHaveCount(2)
  await expect(page.getByRole('list', { name: 'Called threads' }).locator('[data-thread]')).toHaveCount(2)

  gates.open(1)
  await thread.expectStatus('completed')
  const children = thread.step(1, 'delegate').locator('[data-child]')
  await expect(children).toHaveCount(2)
  await children.first().click()
  await expect(page.getByRole('heading', { level: 1, name: /^gated/ })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Callers' }).locator(`[data-thread="${id}"]`)).toBeVisible()
})
