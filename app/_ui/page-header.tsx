import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'

export function PageHeader(props: {
  trail?: { href: string; label: string }[]
  title: ReactNode
  about?: ReactNode
  actions?: ReactNode
}) {
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        {props.trail !== undefined && (
          <nav aria-label="Where this is" className="mb-1 flex items-center gap-1 text-sm text-ink-faint">
            {props.trail.map((step) => (
              <span key={step.href} className="flex items-center gap-1">
                <Link href={step.href} className="rounded hover:text-ink hover:underline">
                  {step.label}
                </Link>
                <ChevronRight aria-hidden className="size-3.5" />
              </span>
            ))}
          </nav>
        )}
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{props.title}</h1>
        {props.about !== undefined && <div className="mt-1 max-w-3xl text-ink-soft">{props.about}</div>}
      </div>
      {props.actions !== undefined && <div className="flex flex-wrap items-center gap-2">{props.actions}</div>}
    </header>
  )
}
