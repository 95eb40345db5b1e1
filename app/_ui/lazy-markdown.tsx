'use client'

import dynamic from 'next/dynamic'

/** Markdown, whose code is loaded when it is first shown. Where it cannot be, the text is shown as it is: losing the connection loses no page. */
export const LazyMarkdown = dynamic(() =>
  import('./markdown').then(
    (module) => module.Markdown,
    () => Plain,
  ),
)

function Plain({ text }: { text: string }) {
  return <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
}
