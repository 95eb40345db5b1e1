import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { ThreadPage } from './pages/thread-page'
import { expect, test } from './support/fixtures'

/** Writes a picture of the page in light and in dark into the folder that CAIRN_PICTURES names. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CAIRN_PICTURES ?? 'test-results/pictures'
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const path = join(folder, `${name}-${test.info().project.name}-${colorScheme}.png`)
    await page.screenshot({ path, fullPage: true, animations: 'disabled' })
  }
}

test.slow()

test('pictures of a thread in each of its states', async ({ page, api, gates, startGated }) => {
  const thread = new ThreadPage(page)
  const gated = await startGated(3)
  await thread.open(gated.id)
  gated.open(1)
  await thread.expectSteps(['gate'])
  await thread.command('Pause').click()
  await expect(thread.notice).toHaveAttribute('data-effect', 'requested')
  await picture(page, 'thread-pause-requested')
  await thread.command('Kill').click()
  await expect(thread.dialog).toBeVisible()
  await picture(page, 'thread-kill-dialog')
  await thread.dialog.getByRole('button', { name: 'Cancel' }).click()
  gated.open(2)
  await thread.expectStatus('paused')
  await picture(page, 'thread-paused')
  await thread.view('Timeline')
  await picture(page, 'thread-timeline')
  await api.thread.control.mutate({ id: gated.id, command: 'kill', reason: 'the pictures are taken', waitMs: 10_000 })
  await thread.expectStatus('killed')
  await picture(page, 'thread-killed')

  const approval = await api.thread.start.mutate({ workflow: 'approval', prompt: 'Announce it.', input: {} })
  await thread.open(approval.id)
  await expect(thread.waiting).toBeVisible()
  await picture(page, 'thread-approval')

  const folder = mkdtempSync(join(gates.folder, 'children-'))
  const caller = await api.thread.start.mutate({ workflow: 'caller', prompt: 'Go.', input: { folder } })
  await thread.open(caller.id)
  await expect(thread.waiting).toBeVisible()
  await picture(page, 'thread-children')
  writeFileSync(join(folder, 'gate-1'), '')
  await thread.expectStatus('completed')
  await picture(page, 'thread-called')

  const fragile = await api.thread.start.mutate({ workflow: 'fragile', prompt: 'Go.', input: { folder: gates.folder } })
  await thread.open(fragile.id)
  await thread.expectStatus('failed')
  await thread.view('Log')
  await expect(page.getByRole('region', { name: 'Log' })).toContainText('The repair is missing.')
  await picture(page, 'thread-log')
  await page.goto('/threads')
  await expect(page.locator(`[data-thread="${fragile.id}"]`)).toBeVisible()
  await picture(page, 'threads')
})

test('pictures of a fork and of the comparison with its source', async ({ page, api }) => {
  const thread = new ThreadPage(page)
  const { id } = await api.thread.start.mutate({ workflow: 'hello', prompt: 'Stack.', input: { steps: 3 } })
  await thread.open(id)
  await thread.expectStatus('completed')
  await thread.forkFrom(3, 'Fork with another result…')
  await picture(page, 'fork-dialog')
  await page.keyboard.press('Escape')
  const step = { role: 'stack', content: 'Puts a **boulder** on top.', meta: { stone: 2, left: 0 } }
  const fork = await api.thread.fork.mutate({ id, at: { step: 2 }, overrides: { step } })
  await thread.open(fork.id)
  await thread.expectStatus('completed')
  await picture(page, 'thread-fork')
  await page.goto(`/compare?a=${id}&b=${fork.id}`)
  await expect(page.getByRole('article', { name: 'Step 3' })).toBeVisible()
  await picture(page, 'compare')
  await page.goto('/compare')
  await picture(page, 'compare-form')
})

test('pictures of what an operator looks at', async ({ page, database }) => {
  const [bundle] = await database.sql<{ hash: string }[]>`select hash from bundles limit 1`
  if (bundle === undefined) throw new Error('There is no version.')
  await database.sql`
    insert into quarantines (bundle, reason, crashes) values (${bundle.hash}, 'the worker ended with SIGSEGV', 6)`
  try {
    await page.goto('/runners')
    await expect(page.locator('[data-quarantine]')).toBeVisible()
    await picture(page, 'runners')
  } finally {
    await database.sql`delete from quarantines`
  }
  await page.goto('/system')
  await expect(page.locator('[data-invariants]')).toBeVisible()
  await picture(page, 'system')
  await page.goto('/workflows/hello')
  await expect(page.locator('#limits')).toBeVisible()
  await picture(page, 'workflow')
  await page.getByRole('definition').first().waitFor()
  await page
    .locator('section')
    .filter({ has: page.locator('#limits') })
    .getByRole('button')
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await picture(page, 'limits-dialog')
})
