import { describe, expect, it } from 'vitest'
import { isFiltered, listInput, readFilter, splitAt, writeFilter } from './thread-filter'

describe('the filter in the URL', () => {
  it('comes back as it was written', () => {
    const filter = { workflow: 'repo-report', status: ['running', 'failed'] as const, text: 'a & b', tag: 'nightly' }
    const query = writeFilter({ ...filter, status: [...filter.status] })
    expect(query).toBe('?workflow=repo-report&status=running,failed&text=a+%26+b&tag=nightly')
    expect(readFilter(new URLSearchParams(query))).toEqual(filter)
  })
  it('leaves out statuses that do not exist', () => {
    expect(readFilter(new URLSearchParams('status=running,sleeping')).status).toEqual(['running'])
  })
  it('is empty without parameters, and asks for everything', () => {
    const filter = readFilter(new URLSearchParams())
    expect(isFiltered(filter)).toBe(false)
    expect(listInput(filter)).toEqual({ limit: 50 })
  })
})

describe('splitAt', () => {
  const items = [{ id: 'd' }, { id: 'c' }, { id: 'b' }]
  it('holds back what is newer than the mark', () => {
    expect(splitAt(items, 'c')).toEqual({ shown: [{ id: 'c' }, { id: 'b' }], waiting: [{ id: 'd' }] })
  })
  it('shows all without a mark', () => {
    expect(splitAt(items, null).shown).toBe(items)
  })
  it('still shows older rows when the marked one is gone', () => {
    expect(splitAt([{ id: 'd' }, { id: 'b' }], 'c').shown).toEqual([{ id: 'b' }])
  })
})
