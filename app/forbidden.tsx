import { ShieldX } from 'lucide-react'
import type { Metadata } from 'next'
import { EmptyState } from './_ui/empty-state'

export const metadata: Metadata = { title: 'Refused' }

export default function Forbidden() {
  return (
    <div className="grid min-h-[70dvh] place-items-center">
      <EmptyState isPage icon={ShieldX} title="This server does not answer under this name">
        <p>
          Cairn answers only at 127.0.0.1 and localhost, with the port that <code>npx cairn up</code> printed. Open that
          address instead.
        </p>
      </EmptyState>
    </div>
  )
}
