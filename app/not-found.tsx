import { MapPinOff } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Button } from './_ui/button'
import { EmptyState } from './_ui/empty-state'

export const metadata: Metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    <main className="grid min-h-[70dvh] place-items-center">
      <EmptyState
        isPage
        icon={MapPinOff}
        title="There is nothing at this address"
        action={
          <Button asChild className="mt-2">
            <Link href="/threads">All threads</Link>
          </Button>
        }
      >
        <p>The name, id or hash in the address is unknown here. It may belong to another deployment.</p>
      </EmptyState>
    </main>
  )
}
