import type { Page } from '@playwright/test'

/** The form that starts a thread. */
export class RunPage {
  constructor(readonly page: Page) {}

  /** As a person gets there: from the list of workflows. */
  async open(workflow: string): Promise<void> {
    await this.page.goto('/workflows')
    await this.page.getByRole('link', { name: `Run ${workflow}` }).click()
    await this.page.getByRole('heading', { level: 1, name: `Run ${workflow}` }).waitFor()
  }

  async fill(values: { prompt: string; tags?: string; input: Record<string, string> }): Promise<void> {
    await this.page.getByLabel('Prompt').fill(values.prompt)
    for (const [label, value] of Object.entries(values.input)) await this.page.getByLabel(label).fill(value)
    if (values.tags !== undefined) await this.page.getByLabel('Tags').fill(values.tags)
  }

  /** Returns the id of the thread, whose page is shown then. */
  async submit(): Promise<string> {
    await this.page.getByRole('button', { name: 'Start the thread' }).click()
    await this.page.waitForURL(/\/threads\/[0-9A-Z]{26}$/)
    return new URL(this.page.url()).pathname.split('/').at(-1) ?? ''
  }
}
