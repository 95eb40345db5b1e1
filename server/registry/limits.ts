import type { WorkflowLimits } from '@/server/threads/limits'

/** Limits in one form, so that equal ones are stored alike: keys and labels sorted, each label once, nothing that is not set. */
export function normaliseLimits(limits: WorkflowLimits): WorkflowLimits {
  const { labels, ...bounds } = limits
  const named = labels?.length ? { ...bounds, labels: [...new Set(labels)].sort() } : bounds
  const entries = Object.entries(named).filter(([, value]) => value !== undefined)
  // The entries of `limits` again, in another order.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as WorkflowLimits
}
