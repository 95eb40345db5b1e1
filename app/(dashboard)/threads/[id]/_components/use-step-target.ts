'use client'

import { useEffect, useState } from 'react'

const STEP_HASH = /^#step-(\d{1,9})$/

/** The number in the address's `#step-12`, and whatever step is pointed out later; null without. */
export function useStepTarget(): [step: number | null, point: (step: number) => void] {
  const [step, setStep] = useState<number | null>(null)
  useEffect(() => {
    const read = () => {
      const found = STEP_HASH.exec(window.location.hash)?.[1]
      if (found !== undefined) setStep(Number(found))
    }
    read()
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [])
  const point = (next: number) => {
    window.history.replaceState(null, '', `#step-${next}`)
    setStep(next)
  }
  return [step, point]
}
