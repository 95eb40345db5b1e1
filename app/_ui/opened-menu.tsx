'use client'

import Link from 'next/link'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ActionMenuProps } from './action-menu'
import { cn } from './cn'

/** The menu itself, open from the beginning. */
export function OpenedMenu(props: ActionMenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen>
      <Radix.Trigger asChild>{props.trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 rounded-lg border border-line bg-surface p-1 shadow-overlay"
        >
          {props.actions.map((action) => (
            <Radix.Item
              key={action.key}
              asChild={'href' in action}
              {...('onSelect' in action ? { onSelect: action.onSelect } : {})}
              className={cn(
                'flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-sm outline-none data-[highlighted]:bg-raised [&_svg]:size-4 [&_svg]:text-ink-faint',
                action.look === 'danger' && 'text-danger [&_svg]:text-danger',
              )}
            >
              {'href' in action ? <Link href={action.href}>{action.label}</Link> : action.label}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
