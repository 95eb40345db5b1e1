import { expect, it } from 'vitest'
import { groupThreads } from './group-threads'

it('names the threads of a group node, and none for anything else', () => {
  const threads = [{ threadId: 'T1', workflow: 'hello', returnCode: 0 }, { workflow: 'without an id' }]
  expect(groupThreads(JSON.stringify({ type: 'group', payload: { threads }, refs: [] }))).toEqual([
    { id: 'T1', workflow: 'hello' },
  ])
  expect(groupThreads(JSON.stringify({ type: 'state', payload: {}, refs: [] }))).toEqual([])
  expect(groupThreads('type: group')).toEqual([])
  expect(groupThreads(null)).toEqual([])
})
