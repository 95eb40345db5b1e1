import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Markdown, renderMarkdown } from './markdown'

it('the server writes any text at once, as it is: parsing some takes seconds and would hold up everybody', () => {
  const text = '*a_ '.repeat(30_000)
  const start = performance.now()
  expect(renderToString(<Markdown text={text} />)).toContain(text)
  expect(performance.now() - start).toBeLessThan(2_000)
})

it('text that nests too deeply is left as it is, and does not take the page with it', { timeout: 30_000 }, () => {
  expect(renderMarkdown('> quoted')).not.toBeNull()
  expect(renderMarkdown('>'.repeat(5_000))).toBeNull()
})
