import { expect, test } from './support/fixtures'

test('a runner that is drained takes no thread until it is told to go on', async ({ page, api, startGated }) => {
  await page.goto('/runners')
  const runner = page.locator('[data-runner]').filter({ has: page.locator('[data-runner-state="alive"]') })
  await runner.getByRole('button', { name: 'Drain', exact: true }).click()
  const drained = page.locator('[data-runner]').filter({ has: page.locator('[data-runner-state="draining"]') })
  try {
    await expect(drained).toContainText('Drained by browser')
    const { id } = await startGated(1)
    await page.goto(`/threads/${id}`)
    await expect(page.locator('[data-queued]')).toBeVisible()
    expect((await api.thread.get.query({ id })).status).toBe('queued')

    await page.goto('/runners')
    await drained.getByRole('button', { name: 'Let it take threads again' }).click()
    await expect(page.locator('[data-runner-state="alive"]')).toBeVisible()
    await expect.poll(async () => (await api.thread.get.query({ id })).status).toBe('running')
  } finally {
    for (const { id, draining } of (await api.runner.list.query({})).items) {
      if (draining) await api.runner.drain.mutate({ id, on: false })
    }
  }
})

test('the invariants hold, and one that is broken names the thread', async ({ page, api, database }) => {
  const { id } = await api.thread.start.mutate({ workflow: 'hello', prompt: 'Broken.', input: { steps: 0 } })
  await expect.poll(async () => (await api.thread.get.query({ id })).status).toBe('completed')
  // What no command can do: a finished thread whose head is not its end.
  await database.sql`update threads set status = 'running', runner = 'nobody' where id = ${id}`
  await page.goto('/system')
  const panel = page.locator('[data-invariants]')
  await expect(panel).toHaveAttribute('data-invariants', 'broken')
  await expect(page.locator('[data-ok="false"]').getByRole('link', { name: id }).first()).toBeVisible()

  await database.sql`update threads set status = 'completed', runner = null where id = ${id}`
  await page.getByRole('button', { name: 'Check everything' }).click()
  await expect(panel).toContainText('everything checked')
})

test('a dry run of the collection says what would go, and leaves it there', async ({ page }) => {
  await page.goto('/system')
  const panel = page.getByRole('region', { name: 'Collection' })
  await panel.getByRole('button', { name: 'Dry run' }).click()
  await expect(panel.getByRole('list', { name: 'Last collections' }).getByRole('listitem').first()).toContainText(
    'would go',
  )
})

test('limits of a workflow are set on its page, and are in its history', async ({ page, api }) => {
  await page.goto('/workflows/hello')
  await page
    .getByRole('main')
    .locator('section')
    .filter({ has: page.locator('#limits') })
    .getByRole('button', { name: 'Change…' })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Threads at once', { exact: true }).fill('20000')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('10,000')
  await dialog.getByLabel('Threads at once', { exact: true }).fill('50')
  await dialog.getByLabel('Note').fill('One machine')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  expect((await api.workflow.get.query({ name: 'hello' })).limits).toEqual({ concurrency: 50 })
  await expect(page.getByRole('list', { name: 'Versions' })).toContainText('One machine')
})
