import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

/** Colours are the same at every width: on a phone one scheme will do. */
const schemes = () => (test.info().project.name === 'phone' ? (['dark'] as const) : (['light', 'dark'] as const))

/** Every page, with the sentence that is there when it is complete. */
type Stop = { path: string; title: string }
const PAGES: readonly Stop[] = [
  { path: '/threads', title: 'Threads' },
  { path: '/threads?tag=no-such-tag', title: 'Threads' },
  { path: '/workflows', title: 'Workflows' },
  { path: '/workflows/hello', title: 'hello' },
  { path: '/workflows/hello/run', title: 'Run hello' },
  { path: '/workflows/gated/run', title: 'Run gated' },
  { path: '/compare', title: 'Compare' },
  { path: '/runners', title: 'Runners' },
  { path: '/system', title: 'System' },
]

async function expectGoodForEveryone(page: Page, scheme: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']).analyze()
  const told = violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`),
  )
  expect(told, `${page.url()} in ${scheme}`).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0)
}

async function expectGood(page: Page): Promise<void> {
  for (const colorScheme of schemes()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expectGoodForEveryone(page, colorScheme)
  }
}

for (const { path, title } of PAGES) {
  test(`${path} has no barrier that axe finds, in light and in dark, and fits the width`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expectGood(page)
  })
}

test('a thread has no barrier in any of its views, while it runs and when it is over', async ({ page, startGated }) => {
  const { id, open } = await startGated(2)
  const thread = new ThreadPage(page)
  await thread.open(id)
  open(1)
  await expect(thread.step(1, 'gate')).toBeVisible()
  await expectGoodForEveryone(page, 'light')
  open(2)
  await thread.expectStatus('completed')
  await expect(thread.badge).toHaveAttribute('data-verified', 'ok')
  for (const view of [/^Timeline/, /^Log/, /^Steps/]) {
    await page.getByRole('tab', { name: view }).click()
    await expectGood(page)
  }
})

test('a failed thread and a stored object have no barrier either', async ({ page, api }) => {
  const { id } = await api.thread.start.mutate({
    workflow: 'hello',
    prompt: 'Fail.',
    input: { steps: 3 },
    maxRounds: 1,
  })
  const thread = new ThreadPage(page)
  await thread.open(id)
  await thread.expectConnection('over')
  await expectGood(page)

  const { start } = await api.thread.get.query({ id })
  await page.goto(`/cas/${start}`)
  await expect(page.getByRole('heading', { level: 1, name: start })).toBeVisible()
  await expectGood(page)
})

test('a thread that waits, the dialogs of a thread and a comparison have no barrier either', async ({ page, api }) => {
  const approval = await api.thread.start.mutate({ workflow: 'approval', prompt: 'Announce it.', input: {} })
  const thread = new ThreadPage(page)
  await thread.open(approval.id)
  await expect(thread.waiting.getByRole('button', { name: 'Approve' })).toBeVisible()
  await expectGood(page)
  await thread.command('Kill').click()
  await expect(thread.dialog).toBeVisible()
  await expectGood(page)
  await thread.confirm('Kill', 'nobody needs it')
  await thread.expectStatus('killed')
  await expectGood(page)

  const { id } = await api.thread.start.mutate({ workflow: 'hello', prompt: 'Stack.', input: { steps: 2 } })
  await thread.open(id)
  await thread.expectStatus('completed')
  await thread.forkFrom(2, 'Fork with another result…')
  await expect(thread.dialog.getByLabel('Content')).toBeVisible()
  await expectGood(page)
  const step = { role: 'stack', content: 'A boulder.', meta: { stone: 1, left: 0 } }
  const fork = await api.thread.fork.mutate({ id, at: { step: 1 }, overrides: { step } })
  await page.goto(`/compare?a=${id}&b=${fork.id}`)
  await expect(page.getByRole('article', { name: 'Step 2' })).toContainText('A boulder.')
  await expectGood(page)
})

test('an unknown address says so, with a way on', async ({ page }) => {
  await page.goto('/workflows/there-is-no-such-workflow')
  await expect(page.getByText('There is nothing at this address')).toBeVisible()
  await expectGood(page)
  await page.getByRole('link', { name: 'All threads' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Threads' })).toBeVisible()
})
