import { expect, type Locator, type Page } from '@playwright/test'

/** The page of one thread. */
export class ThreadPage {
  readonly steps: Locator
  readonly connection: Locator
  readonly status: Locator
  readonly badge: Locator
  readonly dialog: Locator
  /** What is asked of the thread, or what came of what was asked. */
  readonly notice: Locator
  readonly waiting: Locator

  constructor(readonly page: Page) {
    this.steps = page.getByRole('article', { name: /^Step \d+, / })
    this.connection = page.locator('[data-connection]')
    this.status = page.getByRole('main').locator('[data-status]').first()
    this.badge = page.locator('[data-verified]')
    this.dialog = page.getByRole('dialog')
    this.notice = page.locator('[data-effect]')
    this.waiting = page.getByRole('region', { name: 'Waiting' })
  }

  async open(id: string): Promise<void> {
    await this.page.goto(`/threads/${id}`)
    await expect(this.connection).toHaveAttribute('data-connection', /live|over/)
  }

  /** Id of the thread whose page is shown. */
  id(): string {
    return new URL(this.page.url()).pathname.split('/').at(-1) ?? ''
  }

  command(name: 'Pause' | 'Resume' | 'Take the pause back' | 'Kill' | 'Retry' | 'Fork'): Locator {
    return this.page.getByRole('main').getByRole('button', { name, exact: true })
  }

  /** An entry of the menu with what is seldom done. */
  async more(name: string): Promise<void> {
    await this.page.getByRole('button', { name: 'More', exact: true }).click()
    await this.page.getByRole('menuitem', { name }).click()
  }

  /** Answers the dialog that asks before a command. */
  async confirm(name: string, reason?: string): Promise<void> {
    if (reason !== undefined) await this.dialog.getByLabel('Reason').fill(reason)
    await this.dialog.getByRole('button', { name, exact: true }).click()
    await expect(this.dialog).toBeHidden()
  }

  async view(name: 'Steps' | 'Timeline' | 'Log'): Promise<void> {
    await this.page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
  }

  /** What the timeline says of the lifecycle: the newest event of a type. */
  event(type: string): Locator {
    return this.page.locator(`[data-event="${type}"]`).last()
  }

  /** Opens the fork dialog from a step's menu. */
  async forkFrom(step: number, entry: 'Fork after this step…' | 'Fork to do it anew…' | 'Fork with another result…') {
    await this.page.getByRole('button', { name: `Fork at step ${step}`, exact: true }).click()
    await this.page.getByRole('menuitem', { name: entry }).click()
    await expect(this.dialog).toBeVisible()
  }

  step(number: number, role: string): Locator {
    return this.page.getByRole('article', { name: `Step ${number}, ${role}`, exact: true })
  }

  /** Exactly these roles, each once and in order: nothing is missed and nothing comes twice. */
  async expectSteps(roles: readonly string[]): Promise<void> {
    await expect
      .poll(() => this.steps.evaluateAll((items) => items.map((item) => item.getAttribute('aria-label'))))
      .toEqual(roles.map((role, index) => `Step ${index + 1}, ${role}`))
  }

  async expectStatus(status: string): Promise<void> {
    await expect(this.status).toHaveAttribute('data-status', status)
  }

  async expectConnection(state: string): Promise<void> {
    await expect(this.connection).toHaveAttribute('data-connection', state)
  }

  /** True until the document is loaded anew. */
  async markDocument(): Promise<() => Promise<void>> {
    await this.page.evaluate(() => document.documentElement.setAttribute('data-e2e-mark', ''))
    return async () => {
      await expect(this.page.locator('html'), 'the document was loaded again').toHaveAttribute('data-e2e-mark', '')
    }
  }
}
