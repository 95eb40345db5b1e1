import { join } from 'node:path'
import { buildBundle } from '@/server/registry/build'
import { WorkflowPage } from './pages/workflow-page'
import { expect, test } from './support/fixtures'

test('a workflow shows its versions, and goes back to an earlier one only when that is confirmed', async ({
  page,
  api,
}, info) => {
  const name = `versions-${info.project.name}-${info.retry}`
  const { code } = await buildBundle(join(import.meta.dirname, '../workflows/hello/index.ts'))
  const add = (text: string, note: string) =>
    api.workflow.add.mutate({ name, fileName: `${name}.esm.js`, source: `${code}\n// ${text}\n`, note })
  const first = await add('first', 'The first one')
  const second = await add('second', 'The second one')
  expect(second.hash).not.toBe(first.hash)

  const workflow = new WorkflowPage(page)
  await workflow.open(name)
  await expect(workflow.versions).toHaveCount(2)
  await expect(workflow.entry(0)).toContainText('The second one')
  await expect(workflow.entry(0)).toContainText('current')
  await expect(workflow.entry(1)).toContainText('The first one')

  const rollBack = workflow.entry(1).getByRole('button', { name: 'Roll back to this' })
  await rollBack.click()
  await expect(workflow.dialog).toContainText(first.hash.slice(0, 7))
  await workflow.dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(workflow.dialog).toBeHidden()
  expect((await api.workflow.get.query({ name })).current).toBe(second.hash)

  await rollBack.click()
  await workflow.dialog.getByLabel('Note').fill('The second one stacks too high')
  await workflow.dialog.getByRole('button', { name: /^Roll back/ }).click()
  await expect(workflow.dialog).toBeHidden()
  await expect(workflow.versions).toHaveCount(3)
  await expect(workflow.entry(0)).toContainText('Rolled back')
  await expect(workflow.entry(0)).toContainText('The second one stacks too high')
  await expect(workflow.entry(0)).toContainText('current')
  await expect(workflow.versions.filter({ hasText: 'current' })).toHaveCount(1)
  expect((await api.workflow.get.query({ name })).current).toBe(first.hash)
})
