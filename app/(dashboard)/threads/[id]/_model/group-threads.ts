import { jsonOf } from '@/app/(dashboard)/cas/[hash]/_model/json-of'

/** The threads that a stored group node names. */
export function groupThreads(body: string | null): { id: string; workflow: string }[] {
  const node = body === null ? undefined : jsonOf(body)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return []
  const { payload } = node
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload) || !Array.isArray(payload.threads)) {
    return []
  }
  return payload.threads.flatMap((thread) => {
    if (typeof thread !== 'object' || thread === null || Array.isArray(thread)) return []
    const { threadId, workflow } = thread
    return typeof threadId === 'string'
      ? [{ id: threadId, workflow: typeof workflow === 'string' ? workflow : '' }]
      : []
  })
}
