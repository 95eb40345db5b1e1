import { ShieldAlert } from 'lucide-react'
import Link from 'next/link'
import type { WorkflowDetail } from '@/server/registry/views'

/** Says what the workflow asks for and was not granted; nothing when all is granted. */
export function MissingGrants({ workflow }: { workflow: WorkflowDetail }) {
  if (workflow.missingGrants.length === 0) return null
  return (
    <section
      className="flex gap-3 rounded-lg border border-paused/40 bg-paused/5 px-4 py-3"
      aria-label="Missing grants"
    >
      <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-paused" />
      <p className="text-ink-soft">
        It asks for <strong className="font-mono text-sm font-semibold">{workflow.missingGrants.join(', ')}</strong>,
        which nobody granted yet: a role that needs it will be refused. Grant it under{' '}
        <Link href={`/workflows/${workflow.name}#permissions`} className="text-accent underline underline-offset-2">
          its permissions
        </Link>
        .
      </p>
    </section>
  )
}
