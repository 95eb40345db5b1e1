import { MapPinOff } from 'lucide-react'
import Link from 'next/link'
import { Button } from '@/app/_ui/button'
import { EmptyState } from '@/app/_ui/empty-state'

export default function NotFound() {
  return (
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
  )
}
