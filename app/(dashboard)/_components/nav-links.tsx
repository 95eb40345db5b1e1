'use client'

import { Gauge, ListTree, Server, Workflow } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { cn } from '@/app/_ui/cn'
import { LinkSpinner } from './link-spinner'

export const PAGES = [
  { href: '/threads', label: 'Threads', icon: ListTree },
  { href: '/workflows', label: 'Workflows', icon: Workflow },
  { href: '/runners', label: 'Runners', icon: Server },
  { href: '/system', label: 'System', icon: Gauge },
] as const

/** `side`: rows of a side bar. `bottom`: the tab bar of a phone. */
export function NavLinks({ place }: { place: 'side' | 'bottom' }) {
  const path = usePathname()
  return PAGES.map((page) => {
    const isHere = path === page.href || path.startsWith(`${page.href}/`)
    return (
      <Link
        key={page.href}
        href={page.href}
        aria-current={isHere ? 'page' : undefined}
        className={cn(
          'flex items-center font-medium',
          place === 'side'
            ? 'h-8 gap-2.5 rounded-md px-2 text-sm'
            : 'min-w-0 flex-1 flex-col justify-center gap-0.5 py-1.5 text-xs',
          isHere ? 'text-ink' : 'text-ink-faint hover:text-ink',
          isHere && place === 'side' && 'bg-raised',
          !isHere && place === 'side' && 'hover:bg-raised/60',
        )}
      >
        <page.icon aria-hidden className="size-4" />
        {page.label}
        {place === 'side' && <LinkSpinner className="ml-auto" />}
      </Link>
    )
  })
}
