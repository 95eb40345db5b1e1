import { expect, type Locator, type Page } from '@playwright/test'

/** The page of one thread. */
export class ThreadPage {
  readonly steps: Locator
  readonly connection: Locator
  readonly status: Locator
  readonly badge: Locator

  constructor(readonly page: Page) {
    this.steps = page.getByRole('article', { name: /^Step \d+, / })
    this.connection = page.locator('[data-connection]')
    this.status = page.getByRole('main').locator('[data-status]').first()
    this.badge = page.locator('[data-verified]')
  }

  async open(id: string): Promise<void> {
    await this.page.goto(`/threads/${id}`)
    await expect(this.connection).toHaveAttribute('data-connection', /live|over/)
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
