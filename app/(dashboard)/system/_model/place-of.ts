import { targetOf } from '@/app/(dashboard)/_components/palette-target'

const WORKFLOW_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** The page of the row that a violation names: a thread, an object or version, a workflow; null for what has no page. */
export function placeOf(id: string): string | null {
  return targetOf(id)?.href ?? (WORKFLOW_NAME.test(id) ? `/workflows/${id}` : null)
}
