import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn'

/** Says what went wrong and what to do; `children` are the ways on. */
export function ErrorPanel(props: { title: string; message: string; className?: string; children?: ReactNode }) {
  return (
    <div role="alert" className={cn('rounded-lg border border-danger/40 bg-danger/5 p-4', props.className)}>
      <p className="flex items-center gap-2 font-semibold text-danger">
        <CircleAlert aria-hidden className="size-4 shrink-0" />
        {props.title}
      </p>
      <p className="mt-1 text-ink-soft [overflow-wrap:anywhere] whitespace-pre-wrap">{props.message}</p>
      {props.children !== undefined && <div className="mt-3 flex flex-wrap gap-2">{props.children}</div>}
    </div>
  )
}
