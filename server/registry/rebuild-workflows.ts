import type { Database } from '@/db/client'
import { withTransaction } from '@/db/client'
import { listNames } from '@/db/queries/registry/list-workflows'
import { lockWorkflow } from '@/db/queries/registry/lock-workflow'
import { saveWorkflow } from '@/db/queries/registry/save-workflow'
import { messageOf } from '@/server/kernel/errors'
import { stateOf } from './command'
import type { WorkflowState } from './decide'
import { rebuildProjection } from './rebuild-projection'

export type RebuiltWorkflows = {
  checked: number
  differing: { id: string; column: string; stored: string | null; rebuilt: string | null }[]
  undecided: { id: string; why: string }[]
}

/** Compares every workflow with what its events say it is; with `apply` it writes what differs. A row without events is left. */
export async function rebuildWorkflows(db: Database, { apply }: { apply: boolean }): Promise<RebuiltWorkflows> {
  const found: RebuiltWorkflows = { checked: 0, differing: [], undecided: [] }
  for (const name of await listNames(db)) {
    found.checked += 1
    await withTransaction(db, async (tx) => {
      const row = await lockWorkflow(tx, name)
      const rebuilt = await rebuildProjection(tx, name)
      if (rebuilt === null) {
        found.undecided.push({ id: name, why: 'It has no event.' })
        return
      }
      const differing = differencesOf(name, row && stateOf(row), rebuilt)
      found.differing.push(...differing)
      if (apply && differing.length > 0) await saveWorkflow(tx, { name, ...rebuilt })
    }).catch((error: unknown) => found.undecided.push({ id: name, why: messageOf(error) }))
  }
  return found
}

function differencesOf(
  id: string,
  stored: WorkflowState | null,
  rebuilt: WorkflowState,
): RebuiltWorkflows['differing'] {
  if (stored === null) return [{ id, column: 'name', stored: null, rebuilt: id }]
  const before: Record<string, unknown> = stored
  return Object.entries(rebuilt).flatMap(([column, value]) =>
    canonical(before[column]) === canonical(value)
      ? []
      : [{ id, column, stored: canonical(before[column]), rebuilt: canonical(value) }],
  )
}

/** As jsonb would keep it: the order of keys says nothing. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
