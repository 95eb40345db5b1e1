'use client'

import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'

export type WindowListHandle = { scrollToIndex: (index: number) => void }

type WindowListProps<T> = {
  items: readonly T[]
  keyOf: (item: T) => string
  /** Pixels that an item takes before it was measured. */
  estimate: (item: T) => number
  render: (item: T, index: number) => ReactNode
  label: string
  gap?: number
  /** Pixels at the top of the window that something else covers. */
  paddingTop?: number
  onHeight?: (height: number) => void
  ref?: Ref<WindowListHandle>
}

/** A list in the page's own scroll, of which only what is near the window is in the document. */
export function WindowList<T>(props: WindowListProps<T>) {
  const { items, keyOf, estimate, render, label, gap = 0, paddingTop = 64, onHeight, ref } = props
  const list = useRef<HTMLOListElement>(null)
  const [top, setTop] = useState(0)
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => {
      const item = items[index]
      return item === undefined ? 0 : estimate(item)
    },
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    gap,
    overscan: 4,
    scrollMargin: top,
    scrollPaddingStart: paddingTop,
    // What the server renders, which knows no window.
    initialRect: { width: 1024, height: 900 },
  })
  // No dependencies: whatever stands above the list may have changed its height.
  useLayoutEffect(() => {
    if (list.current === null) return
    const now = Math.round(list.current.getBoundingClientRect().top + window.scrollY)
    if (now !== top) setTop(now)
  })
  const height = virtualizer.getTotalSize()
  useLayoutEffect(() => onHeight?.(height), [onHeight, height])
  useImperativeHandle(ref, () => ({ scrollToIndex: (index) => virtualizer.scrollToIndex(index, { align: 'start' }) }), [
    virtualizer,
  ])

  return (
    <ol ref={list} aria-label={label} className="relative" style={{ height }}>
      {virtualizer.getVirtualItems().map((place) => {
        const item = items[place.index]
        return item === undefined ? null : (
          <li
            key={place.key}
            ref={virtualizer.measureElement}
            data-index={place.index}
            aria-setsize={items.length}
            aria-posinset={place.index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${place.start - top}px)` }}
          >
            {render(item, place.index)}
          </li>
        )
      })}
    </ol>
  )
}
