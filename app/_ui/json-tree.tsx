import { ChevronRight } from 'lucide-react'
import type { Json } from '@/sdk/types'

/** Children of an object or array that are shown at once; the rest is named by its count. */
const MAX_CHILDREN = 200

/** JSON as a tree that opens and closes. `openTo` levels start open. */
export function JsonTree({ value, openTo = 1, name }: { value: Json; openTo?: number; name?: string }) {
  if (value === null || typeof value !== 'object') {
    return (
      <div className="py-px pl-4.5 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
        {name !== undefined && <span className="text-ink-soft">{name}: </span>}
        <Leaf value={value} />
      </div>
    )
  }
  const children: [string, Json][] = Array.isArray(value)
    ? value.map((child, index) => [String(index), child])
    : Object.entries(value)
  const size = Array.isArray(value) ? `[${children.length}]` : `{${children.length}}`
  if (children.length === 0) {
    return (
      <div className="py-px pl-4.5 font-mono text-xs leading-5 text-ink-faint">
        {name !== undefined && <span className="text-ink-soft">{name}: </span>}
        {Array.isArray(value) ? '[]' : '{}'}
      </div>
    )
  }
  return (
    <details open={openTo > 0} className="group/node font-mono text-xs leading-5">
      <summary className="flex w-fit list-none items-center gap-1 rounded py-px pr-1 hover:bg-raised">
        <ChevronRight
          aria-hidden
          className="size-3.5 text-ink-faint transition-transform [[open]>summary>&]:rotate-90"
        />
        <span className="text-ink-soft">{name ?? 'value'}</span>
        <span className="text-ink-faint">{size}</span>
      </summary>
      <div className="ml-1.5 border-l border-line pl-2">
        {children.slice(0, MAX_CHILDREN).map(([key, child]) => (
          <JsonTree key={key} name={key} value={child} openTo={openTo - 1} />
        ))}
        {children.length > MAX_CHILDREN && (
          <p className="pl-4.5 text-ink-faint">and {children.length - MAX_CHILDREN} more: open the raw node</p>
        )}
      </div>
    </details>
  )
}

function Leaf({ value }: { value: string | number | boolean | null }) {
  if (typeof value === 'string') return <span className="text-json-string">{JSON.stringify(value)}</span>
  if (typeof value === 'number') return <span className="text-json-number">{String(value)}</span>
  return <span className="text-json-word">{String(value)}</span>
}
