'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import type { VerifyReport } from '@/server/threads/views'
import { checkStep } from '../_model/browser-check'
import type { ThreadLog } from '../_model/thread-log'

/** Steps that are checked at once: their reads share one request. */
const BATCH = 20
/** A finished thread with at most so many steps is verified without being asked. */
const AUTOMATIC_STEPS = 100

export type Verification =
  | { state: 'idle' }
  | { state: 'busy'; checked: number; of: number }
  | { state: 'done'; report: VerifyReport; checked: number; problems: { step: number; problem: string }[] }
  | { state: 'broken'; message: string }

/** Verifies a thread twice: the server walks the digest chain, the browser hashes anew what the page shows. */
export function useVerification(id: string, log: ThreadLog): { verification: Verification; verify: () => void } {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [verification, setVerification] = useState<Verification>({ state: 'idle' })

  const verify = useCallback(async () => {
    const { steps } = log
    setVerification({ state: 'busy', checked: 0, of: steps.length })
    try {
      const [report, { hashBytesInScript }, { canonicalJson }] = await Promise.all([
        queryClient.fetchQuery(trpc.thread.verify.queryOptions({ id }, { staleTime: 0 })),
        import('@/server/cas/hash-xxhashjs'),
        import('@/server/cas/canonical'),
      ])
      const tools = {
        hash: hashBytesInScript,
        canonical: canonicalJson,
        bodyOf: async (hash: string) =>
          (await queryClient.fetchQuery(trpc.cas.get.queryOptions({ hash }, { staleTime: 0, gcTime: 0 }))).body,
      }
      const problems: { step: number; problem: string }[] = []
      for (let from = 0; from < steps.length; from += BATCH) {
        const found = await Promise.all(
          steps.slice(from, from + BATCH).map(async (step, index) => ({
            step: step.step,
            problem: await checkStep(step, steps[from + index - 1], tools),
          })),
        )
        for (const { step, problem } of found) if (problem !== null) problems.push({ step, problem })
        setVerification({ state: 'busy', checked: Math.min(from + BATCH, steps.length), of: steps.length })
      }
      setVerification({ state: 'done', report, checked: steps.length, problems })
    } catch (error) {
      setVerification({ state: 'broken', message: sentenceOf(error) })
    }
  }, [id, log, queryClient, trpc])

  const wasAsked = useRef(false)
  const isDue = log.end !== null && log.end.steps === log.steps.length && log.steps.length <= AUTOMATIC_STEPS
  useEffect(() => {
    if (!isDue || wasAsked.current) return
    wasAsked.current = true
    void verify()
  }, [isDue, verify])

  return { verification, verify }
}
