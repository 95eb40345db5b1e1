/** What a procedure asks of its caller. Every procedure names exactly one. */
export const PERMISSIONS = [
  'thread:read',
  'thread:operate',
  'thread:remove',
  'workflow:read',
  'workflow:write',
  'workflow:grant',
  'workflow:limits',
  'cas:read',
  'cas:write',
  'cas:collect',
  'runner:read',
  'runner:manage',
  'system:read',
  'system:manage',
] as const
export type Permission = (typeof PERMISSIONS)[number]

export const ROLES = ['viewer', 'operator', 'author', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

const VIEWER = ['thread:read', 'workflow:read', 'cas:read', 'runner:read', 'system:read'] as const
const OPERATOR = [...VIEWER, 'thread:operate'] as const
const AUTHOR = [...OPERATOR, 'thread:remove', 'workflow:write', 'cas:write'] as const
const ADMIN = [...AUTHOR, 'workflow:grant', 'workflow:limits', 'cas:collect', 'runner:manage', 'system:manage'] as const

/** The one table of rights, for the server and for pages that hide what a person may not do. */
export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  viewer: VIEWER,
  operator: OPERATOR,
  author: AUTHOR,
  admin: ADMIN,
  owner: ADMIN,
}

export function mayDo(role: Role, permission: Permission): boolean {
  return ROLE_PERMISSIONS[role].includes(permission)
}
