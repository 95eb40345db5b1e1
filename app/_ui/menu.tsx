'use client'

import { Check } from 'lucide-react'
import Link from 'next/link'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from './cn'

/** A menu whose entries are ticked one by one; it stays open while they are. */
export function CheckMenu<T extends string>(props: {
  trigger: ReactNode
  options: readonly { value: T; label: ReactNode }[]
  chosen: readonly T[]
  onChange: (chosen: T[]) => void
}) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{props.trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="start"
          sideOffset={4}
          className="z-50 min-w-44 rounded-lg border border-line bg-surface p-1 shadow-overlay"
        >
          {props.options.map((option) => (
            <Radix.CheckboxItem
              key={option.value}
              checked={props.chosen.includes(option.value)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(checked) =>
                props.onChange(
                  checked ? [...props.chosen, option.value] : props.chosen.filter((value) => value !== option.value),
                )
              }
              className="flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-sm outline-none data-[highlighted]:bg-raised"
            >
              <span className="grid size-4 place-items-center rounded border border-field-line">
                <Radix.ItemIndicator>
                  <Check aria-hidden className="size-3" />
                </Radix.ItemIndicator>
              </span>
              {option.label}
            </Radix.CheckboxItem>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export type MenuAction = { label: ReactNode; look?: 'plain' | 'danger' } & ({ href: string } | { onSelect: () => void })

/** A menu of deeds and links. */
export function ActionMenu(props: { trigger: ReactNode; actions: readonly (MenuAction & { key: string })[] }) {
  return (
    <Radix.Root modal={false}>
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
