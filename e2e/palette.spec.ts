import { expect, test } from './support/fixtures'

test('the palette always has something chosen: Enter goes to what stands first for the words typed', async ({
  page,
}) => {
  await page.goto('/threads')
  await expect(page.locator('[data-connection]')).toHaveAttribute('data-connection', 'live')
  await page.keyboard.press('Control+k')
  // What is chosen before a word is typed leaves the list with the first word.
  await expect(page.getByRole('option', { name: 'Threads' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.type('hello', { delay: 50 })
  const first = page.getByRole('option', { name: 'hello', exact: true })
  await expect(first).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'hello' })).toBeVisible()
})
