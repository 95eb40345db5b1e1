/** What `cairn up` is told about the runner that it starts, as the runner reads it from its environment. */
export function runnerEnvironment(options: {
  label: readonly string[]
  permission: readonly string[]
  capacity: number | undefined
}): Record<string, string> {
  const { label, permission, capacity } = options
  return {
    ...(label.length === 0 ? {} : { CAIRN_LABELS: label.join(',') }),
    ...(permission.length === 0 ? {} : { CAIRN_PERMISSIONS: permission.join(',') }),
    ...(capacity === undefined ? {} : { CAIRN_CAPACITY: String(capacity) }),
  }
}
