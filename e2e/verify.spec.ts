import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

test('a sound thread is verified; after one byte of one node was changed, the page names that node', async ({
  page,
  api,
  database,
}) => {
  const { id } = await api.thread.start.mutate({ workflow: 'hello', prompt: 'Stack.', input: { steps: 2 } })
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('completed')
  await expect(thread.badge).toHaveAttribute('data-verified', 'ok')

  const { items } = await api.thread.records.query({ id, limit: 100 })
  const step = items.find((record) => record.kind === 'step')
  if (step?.kind !== 'step') throw new Error('The thread has no step.')
  // What no command can do: another byte in the text of a node that is stored.
  const changed = await database.sql`
    update state_nodes set body = replace(body, '"role":"greet"', '"role":"greer"') where hash = ${step.hash}`
  expect(changed.count).toBe(1)

  await page.getByRole('button', { name: 'Verify again' }).click()
  await expect(thread.badge).toHaveAttribute('data-verified', 'damaged')
  await expect(page.getByRole('link', { name: step.hash, exact: true }).first()).toBeVisible()
  const report = await api.thread.verify.query({ id })
  expect(report.ok).toBe(false)
  expect(report.findings.map((finding) => finding.hash)).toContain(step.hash)
})
