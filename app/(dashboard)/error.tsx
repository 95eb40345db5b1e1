'use client'

import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { ErrorPanel } from '@/app/_ui/error-panel'

export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const message =
    error.digest === undefined
      ? sentenceOf(error)
      : `The server could not make this page. Its log tells why, under the digest ${error.digest}.`
  return (
    <ErrorPanel title="This page could not be shown" message={message}>
      <Button onClick={reset}>Try again</Button>
    </ErrorPanel>
  )
}
