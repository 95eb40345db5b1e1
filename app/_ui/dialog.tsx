'use client'

import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button'

/** A modal dialog. Escape and a click outside close it; focus goes back to where it was. */
export function Dialog(props: {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  about?: ReactNode
  children: ReactNode
}) {
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content className="fixed top-[12vh] left-1/2 z-50 max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 overflow-y-auto rounded-lg border border-line bg-surface p-5 shadow-overlay focus:outline-none">
          <div className="mb-3 flex items-start justify-between gap-3">
            <div>
              <Radix.Title className="text-lg font-semibold">{props.title}</Radix.Title>
              <Radix.Description asChild>
                <div className="mt-1 text-ink-soft">{props.about}</div>
              </Radix.Description>
            </div>
            <Radix.Close asChild>
              <Button look="quiet" size="icon" aria-label="Close" className="-mt-1 -mr-2">
                <X aria-hidden />
              </Button>
            </Radix.Close>
          </div>
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
