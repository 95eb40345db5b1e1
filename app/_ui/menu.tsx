'use client'

import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

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
