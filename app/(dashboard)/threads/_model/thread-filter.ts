import { THREAD_STATUSES, type ThreadStatus } from '@/server/threads/status'

/** What the list shows; lives in the URL. */
export type ThreadFilter = { workflow: string; status: ThreadStatus[]; text: string; tag: string }

type Params = { get(name: string): string | null }

/** Reads the URL's parameters; what it does not know it leaves out. */
export function readFilter(params: Params): ThreadFilter {
  const asked = (params.get('status') ?? '').split(',')
  return {
    workflow: params.get('workflow')?.trim() ?? '',
    status: THREAD_STATUSES.filter((status) => asked.includes(status)),
    text: params.get('text')?.trim() ?? '',
    tag: params.get('tag')?.trim() ?? '',
  }
}

/** `''`, or a query that begins with `?`. */
export function writeFilter(filter: ThreadFilter): string {
  const params = new URLSearchParams()
  if (filter.workflow !== '') params.set('workflow', filter.workflow)
  if (filter.status.length > 0) params.set('status', filter.status.join(','))
  if (filter.text !== '') params.set('text', filter.text)
  if (filter.tag !== '') params.set('tag', filter.tag)
  // A comma needs no escape in a query and reads better without.
  const text = params.toString().replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}

export function isFiltered(filter: ThreadFilter): boolean {
  return writeFilter(filter) !== ''
}

export const PAGE_SIZE = 50

/** The input of `thread.list` for a filter. */
export function listInput(filter: ThreadFilter) {
  return {
    ...(filter.workflow === '' ? {} : { workflow: filter.workflow }),
    ...(filter.status.length === 0 ? {} : { status: filter.status }),
    ...(filter.text === '' ? {} : { text: filter.text.slice(0, 200) }),
    ...(filter.tag === '' ? {} : { tag: filter.tag.slice(0, 64) }),
    limit: PAGE_SIZE,
  }
}

/** Rows newer than `mark` wait behind the pill, so that a list which is being read does not move. */
export function splitAt<T extends { id: string }>(items: readonly T[], mark: string | null) {
  if (mark === null) return { shown: items, waiting: [] }
  const first = items.findIndex((item) => item.id <= mark)
  return first === -1 ? { shown: [], waiting: items } : { shown: items.slice(first), waiting: items.slice(0, first) }
}
