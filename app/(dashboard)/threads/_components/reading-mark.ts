'use client'

import { useEffect, useState } from 'react'

/** Pixels from the top beyond which a person reads the list. */
const READING_FROM = 160

/** Id of the newest row when the reader scrolled down; null while they are at the top. */
export function useReadingMark(newestId: string | undefined): [mark: string | null, clear: () => void] {
  const [mark, setMark] = useState<string | null>(null)
  useEffect(() => {
    const onScroll = () => {
      const isReading = window.scrollY > READING_FROM
      setMark((current) => (isReading ? (current ?? newestId ?? null) : null))
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [newestId])
  return [mark, () => setMark(null)]
}
