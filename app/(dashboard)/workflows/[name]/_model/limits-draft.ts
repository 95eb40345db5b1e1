import { BOUNDS, type BoundName, type WorkflowLimits } from '@/server/threads/limits'

export type LimitUnit = 'seconds' | 'bytes' | 'megabytes' | 'count'

/** How each bound is shown: what it bounds, in words, and its unit. In the order of the page. */
export const LIMIT_ROWS: readonly { name: BoundName; label: string; unit: LimitUnit }[] = [
  { name: 'concurrency', label: 'Threads at once', unit: 'count' },
  { name: 'queueDepth', label: 'Queued threads', unit: 'count' },
  { name: 'maxRounds', label: 'Steps of a thread', unit: 'count' },
  { name: 'threadSeconds', label: 'Time of a thread', unit: 'seconds' },
  { name: 'roleSeconds', label: 'Time of a role', unit: 'seconds' },
  { name: 'abortGraceSeconds', label: 'Grace after an abort', unit: 'seconds' },
  { name: 'maxDepth', label: 'Depth of child threads', unit: 'count' },
  { name: 'crashes', label: 'Crashes in a row', unit: 'count' },
  { name: 'workerMegabytes', label: 'Memory of a worker', unit: 'megabytes' },
  { name: 'contentBytes', label: 'Content of a step', unit: 'bytes' },
  { name: 'commandOutputBytes', label: 'Output of a command', unit: 'bytes' },
  { name: 'logBytes', label: 'Log of a thread', unit: 'bytes' },
]

/** Texts of the controls; the empty text leaves a setting at its default. */
export type LimitsDraft = {
  bounds: Record<string, string>
  overflow: '' | 'queue' | 'drop'
  priority: string
  labels: string
}

export function draftOfLimits(limits: WorkflowLimits): LimitsDraft {
  return {
    bounds: Object.fromEntries(LIMIT_ROWS.map(({ name }) => [name, limits[name]?.toString() ?? ''])),
    overflow: limits.overflow ?? '',
    priority: limits.priority?.toString() ?? '',
    labels: limits.labels?.join(', ') ?? '',
  }
}

/** The settings that a draft says; `problems` by the name of a setting. */
export function readLimits(draft: LimitsDraft): { limits: WorkflowLimits; problems: Map<string, string> } {
  const problems = new Map<string, string>()
  const limits: WorkflowLimits = {}
  for (const { name } of LIMIT_ROWS) {
    const text = draft.bounds[name]?.trim() ?? ''
    if (text === '') continue
    const value = Number(text)
    const { ceiling } = BOUNDS[name]
    if (!Number.isInteger(value) || value < 1) problems.set(name, 'This must be a whole number, at least 1.')
    else if (value > ceiling) problems.set(name, `The ceiling is ${ceiling.toLocaleString('en-US')}.`)
    else limits[name] = value
  }
  if (draft.priority.trim() !== '') {
    const value = Number(draft.priority)
    if (Number.isInteger(value) && Math.abs(value) <= 1000) limits.priority = value
    else problems.set('priority', 'This must be a whole number from -1000 to 1000.')
  }
  if (draft.overflow !== '') limits.overflow = draft.overflow
  const labels = draft.labels.split(/[\s,]+/).filter((label) => label !== '')
  if (labels.length > 0) limits.labels = labels
  return { limits, problems }
}
