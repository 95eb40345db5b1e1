import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

test('a pause is shown as requested until the step is done, and a resume goes on from there', async ({
  page,
  startGated,
}) => {
  const { id, open } = await startGated(3)
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('running')
  const expectSameDocument = await thread.markDocument()

  await thread.command('Pause').click()
  await expect(thread.notice).toHaveAttribute('data-effect', 'requested')
  await expect(thread.notice).toContainText('browser')
  await thread.expectStatus('running')

  open(1)
  await thread.expectStatus('paused')
  await expect(thread.notice).toHaveAttribute('data-effect', 'done')
  await thread.expectSteps(['gate'])

  open(2)
  await thread.command('Resume').click()
  await thread.expectSteps(['gate', 'gate'])
  await thread.expectStatus('running')
  open(3)
  await thread.expectStatus('completed')
  await thread.expectSteps(['gate', 'gate', 'gate', 'close'])
  await thread.view('Timeline')
  await expect(thread.event('paused')).toContainText('by browser')
  await expect(thread.event('resumed')).toContainText('by browser')
  await expectSameDocument()
})

test('a pause that was asked for can be taken back before it takes effect', async ({ page, startGated }) => {
  const { id, open } = await startGated(1)
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('running')
  await thread.command('Pause').click()
  await expect(thread.notice).toHaveAttribute('data-control', 'pause')
  await thread.command('Take the pause back').click()
  await expect(thread.notice).toHaveAttribute('data-effect', 'done')
  open(1)
  await thread.expectStatus('completed')
})

test('a kill asks first, ends the thread, and its history says who did it and why', async ({ page, startGated }) => {
  const { id } = await startGated(2)
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('running')

  await thread.command('Kill').click()
  await thread.dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(thread.dialog).toBeHidden()
  await thread.expectStatus('running')

  await thread.command('Kill').click()
  await thread.confirm('Kill', 'it waits for a gate that is bricked up')
  await thread.expectStatus('killed')
  await expect(thread.notice).toHaveAttribute('data-effect', 'done')
  await expect(page.getByRole('main').getByText('return code 137')).toBeVisible()
  await expect(
    page
      .getByRole('main')
      .getByText(/bricked up/)
      .first(),
  ).toBeVisible()
  await thread.view('Timeline')
  await expect(thread.event('killed')).toContainText('by browser')
})

test('a failed thread is retried on its page, and goes on after its last step', async ({ page, api, gates }) => {
  const { id } = await api.thread.start.mutate({
    workflow: 'fragile',
    prompt: 'Work.',
    input: { folder: gates.folder },
  })
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('failed')
  await expect(page.getByText(/repair it and retry/)).toBeVisible()
  const expectSameDocument = await thread.markDocument()

  writeFileSync(join(gates.folder, 'repaired'), '')
  await thread.command('Retry').click()
  await thread.expectStatus('completed')
  await thread.expectSteps(['prepare', 'attempt'])
  await expect(page.getByRole('region', { name: 'Outcome' })).toContainText('It worked.')
  await expect(thread.badge).toHaveAttribute('data-verified', 'ok')
  await expectSameDocument()
})

test('a removed thread leaves the list, after a confirmation', async ({ page, api }) => {
  const { id } = await api.thread.start.mutate({ workflow: 'hello', prompt: 'Remove me.', input: { steps: 0 } })
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('completed')
  await thread.more('Remove…')
  await thread.confirm('Remove', 'a trial')
  await expect(page).toHaveURL(/\/threads$/)
  await expect(page.locator(`[data-thread="${id}"]`)).toHaveCount(0)
  await expect(api.thread.get.query({ id })).rejects.toThrow(/no thread/)
})

test('a command that does not fit any more says what the thread is now', async ({ page, api, startGated }) => {
  const { id, open } = await startGated(1)
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('running')
  await thread.command('Kill').click()
  open(1)
  await expect.poll(async () => (await api.thread.get.query({ id })).status).toBe('completed')
  await thread.dialog.getByRole('button', { name: 'Kill', exact: true }).click()
  await expect(thread.dialog.getByRole('alert')).toContainText('completed')
})

test('the log is read from a level up', async ({ page, api, gates }) => {
  const { id } = await api.thread.start.mutate({
    workflow: 'fragile',
    prompt: 'Log.',
    input: { folder: gates.folder },
  })
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectStatus('failed')
  await thread.view('Log')
  const log = page.getByRole('region', { name: 'Log' })
  await expect(log).toContainText('Prepared.')
  await expect(log).toContainText('The repair is missing.')
  await log.getByLabel('From level').selectOption('error')
  await expect(log).toContainText('The repair is missing.')
  await expect(log).not.toContainText('Prepared.')
})
