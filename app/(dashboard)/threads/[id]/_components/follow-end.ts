'use client'

import { useCallback, useEffect, useRef, useState } from 'react'

/** Pixels from the end of the page within which the reader counts as being at the end. */
const NEAR_END = 120

function isAtEnd(): boolean {
  return window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - NEAR_END
}

/**
 * While the reader is at the end of the page, keeps them there as it grows; when they scrolled up, nothing moves and
 * `unseen` counts what came since. `height` must change whenever the list's height does.
 */
export function useFollowEnd(options: { enabled: boolean; count: number; height: number }) {
  const { enabled, count, height } = options
  const isFollowing = useRef(false)
  const newest = useRef(count)
  const [seen, setSeen] = useState(count)

  useEffect(() => {
    if (!enabled) return
    isFollowing.current = isAtEnd()
    const onScroll = () => {
      isFollowing.current = isAtEnd()
      if (isFollowing.current) setSeen(newest.current)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [enabled])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height is what changes the page's end
  useEffect(() => {
    newest.current = count
    if (!enabled || !isFollowing.current) return
    setSeen(count)
    window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [enabled, count, height])

  const toEnd = useCallback(() => {
    isFollowing.current = true
    setSeen(newest.current)
    window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [])
  return { unseen: Math.max(0, count - seen), toEnd }
}
