import type { Role } from './permissions'

/** Who gives a command. `name` is what events and lists show: `key:<label>` or `browser`. */
export type Actor = {
  name: string
  origin: 'web' | 'cli' | 'api'
  role: Role
}
