import type { ReactNode } from 'react'
import { cn } from './cn'

/** A titled box. `aside` stands at the right of the title. */
export function Panel(props: {
  title?: ReactNode
  aside?: ReactNode
  className?: string
  bodyClassName?: string
  children: ReactNode
}) {
  return (
    <section className={cn('min-w-0 rounded-lg border border-line bg-surface', props.className)}>
      {(props.title !== undefined || props.aside !== undefined) && (
        <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
          <h2 className="text-sm font-semibold">{props.title}</h2>
          {props.aside}
        </header>
      )}
      <div className={cn('p-4', props.bodyClassName)}>{props.children}</div>
    </section>
  )
}

/** Rows of term and value. */
export function Facts({ rows, className }: { rows: [term: string, value: ReactNode][]; className?: string }) {
  return (
    <dl className={cn('grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm', className)}>
      {rows.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-ink-faint">{term}</dt>
          <dd className="min-w-0 tabular-nums [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
