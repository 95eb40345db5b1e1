import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import { log } from '@/server/kernel/log'
import { type Grants, grantsSchema } from '@/server/registry/views'
import { type Limits, limitsWith, workflowLimitsSchema } from '@/server/threads/limits'
import { whatIsWrong } from './role-output'

/** What was granted; nothing when this version cannot read it, so that one bad row stops no other thread. */
export function grantsOf(claimed: ClaimedRow): Grants {
  const grants = grantsSchema.safeParse(JSON.parse(claimed.grants ?? '{}'))
  if (grants.success) return grants.data
  log.error(
    { workflow: claimed.workflow, problem: whatIsWrong(grants.error) },
    'the grants of a workflow cannot be read',
  )
  return grantsSchema.parse({})
}

/** A workflow's overrides; what this version cannot read is told and left out, so that the defaults hold. */
export function limitsOf(claimed: ClaimedRow): Limits {
  const overrides = workflowLimitsSchema.safeParse(JSON.parse(claimed.limits ?? '{}'))
  if (overrides.success) return limitsWith(overrides.data)
  log.error(
    { workflow: claimed.workflow, problem: whatIsWrong(overrides.error) },
    'the limits of a workflow cannot be read',
  )
  return limitsWith({})
}
