import type { ThreadDetail } from '@/server/threads/views'
import { ellipsis, printableLine } from './terminal'
import { count, formatDuration, localDateTime } from './units'

/** What is to know about a thread beside its steps, a line each: what it is, and why it is not further. */
export function threadLines(thread: ThreadDetail): string[] {
  const { id, tags, labels, priority } = thread
  return [
    `${thread.status}, ${count(thread.steps, 'step')}, by ${thread.actor} at ${localDateTime(thread.createdAt)}`,
    ...(tags.length ? [`tags: ${tags.join(', ')}`] : []),
    ...(labels.length ? [`labels: ${labels.join(', ')}`] : []),
    ...(priority === 0 ? [] : [`priority: ${priority}`]),
    ...(thread.sourceThread === null
      ? []
      : [`forked from ${thread.sourceThread} at ${thread.forkedAt ?? 'its start'}`]),
    ...(thread.crashes === 0 ? [] : [`${count(thread.crashes, 'crash', 'crashes')} since its last step`]),
    ...(thread.idleMs < 1000 ? [] : [`paused and waiting for ${formatDuration(thread.idleMs)} in all`]),
    `start ${thread.start}, head ${thread.head}`,
    ...(thread.queued === null ? [] : [`queued: ${thread.queued.message}`]),
    ...controlLine(thread),
    ...(thread.waiting === null ? [] : waitLines(id, thread.waiting)),
  ].map(printableLine)
}

function controlLine({ control, controlActor, controlReason }: ThreadDetail): string[] {
  if (control === null) return []
  return [
    `to ${control}: asked by ${controlActor ?? 'somebody'}${controlReason === null ? '' : `, because ${controlReason}`}`,
  ]
}

/** What it waits for, and the command that answers it. */
function waitLines(id: string, wait: NonNullable<ThreadDetail['waiting']>): string[] {
  const until = wait.wakeAt === null ? '' : ` until ${localDateTime(wait.wakeAt)}`
  switch (wait.kind) {
    case 'until':
      return [`waits${until}`]
    case 'threads':
      return [`waits for ${wait.mode} of ${wait.targets.join(', ')}${until}`]
    case 'input': {
      const about = wait.subject === null ? '' : ` --subject ${wait.subject}`
      const named = wait.name === 'input' ? '' : ` --name ${wait.name}`
      return [
        `waits for ${wait.name}${until}: ${ellipsis(printableLine(wait.prompt ?? ''), 200)}`,
        `asks for ${ellipsis(JSON.stringify(wait.schema), 400)}`,
        `answer it with: cairn thread input ${id} <json>${named}${about}`,
      ]
    }
  }
}
