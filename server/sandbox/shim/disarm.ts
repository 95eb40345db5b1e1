/**
 * Takes away what the permission model of Node leaves: signals to other processes, their debugger, and built-in modules by
 * the back door. Code of the bundle shares this realm, so this is a seat belt; what holds is the launcher's namespaces.
 */
const TAKEN = [
  'kill',
  '_kill',
  '_debugProcess',
  '_debugEnd',
  'getBuiltinModule',
  '_linkedBinding',
  'setuid',
  'setgid',
  'seteuid',
  'setegid',
  'setgroups',
  'initgroups',
]

export function disarm(): void {
  for (const name of TAKEN) {
    const value = () => {
      const error = new Error(`process.${name} is not available to a bundle`)
      throw Object.assign(error, { code: 'ERR_ACCESS_DENIED' })
    }
    Object.defineProperty(process, name, { value, writable: false, configurable: false })
  }
}
