'use client'

import { Slot } from 'radix-ui'
import { type ComponentType, type ReactNode, useState } from 'react'

export type MenuAction = { key: string; label: ReactNode; look?: 'plain' | 'danger' } & (
  | { href: string }
  | { onSelect: () => void }
)
export type ActionMenuProps = { trigger: ReactNode; actions: readonly MenuAction[] }

/** A menu of deeds and links. What draws it is loaded when it is opened first: a page may have one for each of its rows. */
export function ActionMenu(props: ActionMenuProps) {
  const [Menu, setMenu] = useState<ComponentType<ActionMenuProps> | null>(null)
  if (Menu !== null) return <Menu {...props} />
  const open = async () => {
    try {
      const { OpenedMenu } = await import('./opened-menu')
      setMenu(() => OpenedMenu)
    } catch {
      // Without a connection it stays closed; the next press tries again.
      setMenu(null)
    }
  }
  return (
    <Slot.Root aria-haspopup="menu" aria-expanded={false} onClick={open}>
      {props.trigger}
    </Slot.Root>
  )
}
