import type { Grants, WorkflowDetail } from '@/server/registry/views'

/** `folders` is null for a command that was not granted; empty for any folder. */
export type PermissionRow = { command: string; isAsked: boolean; folders: string[] | null }

/** Every command that is asked for or granted, once. */
export function permissionRows(workflow: Pick<WorkflowDetail, 'descriptor' | 'grants'>): PermissionRow[] {
  const asked = workflow.descriptor.permissions?.exec ?? []
  const granted = new Map(workflow.grants.exec.map((grant) => [grant.command, grant.folders]))
  return [...new Set([...asked, ...granted.keys()])].map((command) => ({
    command,
    isAsked: asked.includes(command),
    folders: granted.get(command) ?? null,
  }))
}

/** The grants with those of one command replaced, or taken away with `folders` null. */
export function withGrant(grants: Grants, command: string, folders: string[] | null): Grants {
  const others = grants.exec.filter((grant) => grant.command !== command)
  return { exec: folders === null ? others : [...others, { command, folders }] }
}
