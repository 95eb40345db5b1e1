import type { Locator, Page } from '@playwright/test'

/** The page of one workflow. */
export class WorkflowPage {
  readonly versions: Locator
  readonly dialog: Locator

  constructor(readonly page: Page) {
    this.versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem')
    this.dialog = page.getByRole('dialog')
  }

  async open(name: string): Promise<void> {
    await this.page.goto(`/workflows/${name}`)
    await this.page.getByRole('heading', { level: 1, name }).waitFor()
  }

  /** The entry of the history at this place, newest first. */
  entry(index: number): Locator {
    return this.versions.nth(index)
  }
}
