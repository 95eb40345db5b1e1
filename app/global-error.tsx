'use client'

import './globals.css'
import { Button } from './_ui/button'
import { ErrorPanel } from './_ui/error-panel'

/** Stands in for the whole document when the layout itself failed. */
export default function GlobalError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Error · Cairn</title>
        <main className="mx-auto max-w-xl p-6">
          <ErrorPanel
            title="Cairn could not show anything"
            message={`The server's log tells why${error.digest === undefined ? '' : `, under the digest ${error.digest}`}. Check that its database runs, then try again.`}
          >
            <Button onClick={reset}>Try again</Button>
          </ErrorPanel>
        </main>
      </body>
    </html>
  )
}
