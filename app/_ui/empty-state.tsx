import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button'

/** What to do next when there is nothing to show. */
export function EmptyState(props: {
  icon: LucideIcon
  title: string
  children?: ReactNode
  /** A command line to copy. */
  command?: string
  action?: ReactNode
  /** It is all there is on the page: its title is the heading of the page. */
  isPage?: boolean
}) {
  const Heading = props.isPage === true ? 'h1' : 'h2'
  return (
    <div className="grid justify-items-center gap-2 px-4 py-14 text-center">
      <props.icon aria-hidden className="size-6 text-ink-faint" />
      <Heading className="text-lg font-semibold">{props.title}</Heading>
      {props.children !== undefined && <div className="max-w-md text-ink-soft">{props.children}</div>}
      {props.command !== undefined && <CommandSnippet command={props.command} />}
      {props.action}
    </div>
  )
}

export function CommandSnippet({ command }: { command: string }) {
  return (
    <span className="mt-1 inline-flex max-w-full items-center gap-2 rounded-md border border-line bg-raised py-1 pr-1 pl-3">
      <code className="overflow-x-auto font-mono text-sm whitespace-nowrap">{command}</code>
      <CopyButton text={command} label="command" />
    </span>
  )
}
