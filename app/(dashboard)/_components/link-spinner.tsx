'use client'

import { LoaderCircle } from 'lucide-react'
import { useLinkStatus } from 'next/link'
import { cn } from '@/app/_ui/cn'

/** Inside a link: shows that its page is on the way. Keeps its place, so nothing moves. */
export function LinkSpinner({ className }: { className?: string }) {
  const { pending } = useLinkStatus()
  return (
    <LoaderCircle
      aria-hidden
      className={cn(
        'size-3.5 text-ink-faint opacity-0 motion-safe:animate-spin',
        pending && 'opacity-100 transition-opacity delay-150',
        className,
      )}
    />
  )
}
