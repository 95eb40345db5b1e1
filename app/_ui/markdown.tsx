'use client'

import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

const components: Components = {
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, not a table
    <div className="table-scroll" role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  // A heading of agent text must not compete with the page's own outline.
  h1: ({ children }) => (
    <h3 className="text-lg" data-level="1">
      {children}
    </h3>
  ),
  h2: ({ children }) => <h4 data-level="2">{children}</h4>,
  h3: ({ children }) => <h5 data-level="3">{children}</h5>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  ),
  // The box of a task; the text beside it is no label of it.
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} aria-label={checked === true ? 'Done' : 'Open'} />
  ),
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
}

/** Markdown from an agent, which nobody vouches for: no HTML passes, links open apart and carry no referrer. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose-cairn">
      <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  )
}
