import { KeyRound } from 'lucide-react'
import type { Metadata } from 'next'
import { EmptyState } from './_ui/empty-state'

export const metadata: Metadata = { title: 'Sign in' }

export default function Unauthorized() {
  return (
    <div className="grid min-h-[70dvh] place-items-center">
      <EmptyState isPage icon={KeyRound} title="This browser is not signed in" command="npx cairn open">
        <p>
          Cairn opens only for whoever can run commands on its machine. Run this in the folder where Cairn runs; it
          opens a link that works once.
        </p>
      </EmptyState>
    </div>
  )
}
