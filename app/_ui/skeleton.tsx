import { cn } from './cn'

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn('motion-safe:animate-pulse rounded-md bg-raised', className)} />
}

/** Stands in for a list while it loads. */
export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="grid gap-px overflow-hidden rounded-lg border border-line">
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <Skeleton key={row} className="h-12 rounded-none" />
      ))}
    </div>
  )
}
