'use client'

import { type ReactElement, useMemo, useSyncExternalStore } from 'react'
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

const never = () => () => undefined

/**
 * Markdown from an agent, which nobody vouches for: no HTML passes, links open apart and carry no referrer. The server
 * writes plain text: some texts take seconds to parse, and there they would hold up everybody, here only who reads them.
 */
export function Markdown({ text }: { text: string }) {
  const isBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  const rendered = useMemo(() => (isBrowser ? renderMarkdown(text) : null), [isBrowser, text])
  return (
    <div className="prose-cairn">
      {rendered ?? <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>}
    </div>
  )
}

/** Null for what nests too deeply to be rendered: a thread must be readable whatever its agents wrote. */
export function renderMarkdown(text: string): ReactElement | null {
  try {
    // A pure function of its props, called here because what it throws as an element takes the whole page with it.
    return ReactMarkdown({ remarkPlugins: [remarkGfm], rehypePlugins: [rehypeSanitize], components, children: text })
  } catch {
    return null
  }
}
