'use client'

import { Search } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'

const CommandPalette = dynamic(() => import('./command-palette'), { ssr: false })

/** Opens the command palette, as ⌘K or Ctrl K do everywhere. */
export function PaletteButton() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen((isOpen) => !isOpen)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-ink-faint hover:text-ink md:border md:border-line md:bg-surface"
      >
        <Search aria-hidden className="size-4" />
        <span className="sr-only md:not-sr-only">Go to…</span>
        <kbd className="ml-auto hidden rounded border border-line px-1 font-sans text-xs md:inline">⌘K</kbd>
      </button>
      {open && <CommandPalette onClose={() => setOpen(false)} />}
    </>
  )
}
