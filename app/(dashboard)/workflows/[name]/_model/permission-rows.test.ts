import { expect, it } from 'vitest'
import { permissionRows, withGrant } from './permission-rows'

const descriptor = {
  description: '',
  roles: {},
  graph: { edges: [] },
  permissions: { exec: ['git', 'du'] },
}
const grants = {
  exec: [
    { command: 'git', folders: ['/srv'] },
    { command: 'make', folders: [] },
  ],
}

it('shows each command once: asked and granted, asked only, granted only', () => {
  expect(permissionRows({ descriptor, grants })).toEqual([
    { command: 'git', isAsked: true, folders: ['/srv'] },
    { command: 'du', isAsked: true, folders: null },
    { command: 'make', isAsked: false, folders: [] },
  ])
})

it('changes one grant and leaves the others', () => {
  expect(withGrant(grants, 'git', [])).toEqual({
    exec: [
      { command: 'make', folders: [] },
      { command: 'git', folders: [] },
    ],
  })
  expect(withGrant(grants, 'make', null)).toEqual({ exec: [{ command: 'git', folders: ['/srv'] }] })
})
