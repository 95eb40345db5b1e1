import { ErrorPanel } from '@/app/_ui/error-panel'
import { EXIT } from '@/server/threads/status'
import type { ThreadLog } from '../_model/thread-log'

const MEANING: Record<number, string> = {
  [EXIT.deadline]: 'It ran longer than its deadline.',
  [EXIT.killed]: 'It was killed.',
  [EXIT.gaveUp]: 'It crashed too often without a new step.',
}

/** How the thread ended, in its own words. */
export function ThreadOutcome({ end }: { end: NonNullable<ThreadLog['end']> }) {
  if (end.returnCode !== EXIT.success) {
    const meaning = MEANING[end.returnCode]
    return (
      <ErrorPanel
        className="mb-4"
        title={`${end.status === 'killed' ? 'Killed' : 'Failed'} with return code ${end.returnCode}`}
        message={end.summary || (meaning ?? '')}
      />
    )
  }
  return (
    <section aria-label="Outcome" className="mb-4 rounded-lg border border-completed/40 bg-completed/5 px-4 py-3">
      <p className="text-sm font-semibold text-completed">Completed with return code 0</p>
      {end.summary !== '' && <p className="mt-0.5 whitespace-pre-wrap [overflow-wrap:anywhere]">{end.summary}</p>}
    </section>
  )
}
