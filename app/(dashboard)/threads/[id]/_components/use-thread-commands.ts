'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import type { Sent, ThreadCommand } from '../_model/commands'

/** Sends commands to a thread, one at a time, and keeps what the last one came to. */
export function useThreadCommands(id: string) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queryClient = useQueryClient()
  const router = useRouter()
  const [sent, setSent] = useState<Sent | null>(null)
  const mutation = useMutation({
    mutationFn: async (order: { command: ThreadCommand; reason: string | null }): Promise<Sent | null> => {
      const { command, reason } = order
      const input = { id, ...(reason === null ? {} : { reason }) }
      if (command === 'remove') {
        await client.thread.remove.mutate(input)
        return null
      }
      const { effect } =
        command === 'retry'
          ? await client.thread.retry.mutate(input)
          : await client.thread.control.mutate({ ...input, command })
      return { command, effect }
    },
    onMutate: () => setSent(null),
    onSuccess: async (result) => {
      if (result === null) {
        router.push('/threads')
        return
      }
      // First what the thread is now, so that no older state is told as the effect.
      await queryClient.invalidateQueries({ queryKey: trpc.thread.get.queryKey({ id }) })
      setSent(result)
    },
    // What was offered no longer fits: show what is.
    onError: () => queryClient.invalidateQueries({ queryKey: trpc.thread.get.queryKey({ id }) }),
  })
  return {
    sent,
    error: mutation.error === null ? null : sentenceOf(mutation.error),
    isBusy: mutation.isPending,
    send: mutation.mutate,
    forget: mutation.reset,
  }
}

export type ThreadCommands = ReturnType<typeof useThreadCommands>
