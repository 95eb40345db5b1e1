import { plural } from '@/app/_ui/format'

/** What two threads have in common, in a sentence. */
export function sharedText(comparison: { identical: boolean; shared: { steps: number } }): string {
  const { identical, shared } = comparison
  if (identical) return 'The two are the same.'
  if (shared.steps === 0) return 'No step is shared: they differ from the start.'
  return `${plural(shared.steps, 'step')} ${shared.steps === 1 ? 'is' : 'are'} shared; they part after that.`
}
