import { describe, expect, it } from 'vitest'
import { checkDescriptor } from './descriptor'

const role = { description: 'r', schema: { type: 'object' } }
const edge = (from: string, to: string) => ({ from, to, condition: 'FALLBACK', conditionDescription: null })
const good = {
  description: 'd',
  roles: { plan: role, code: role },
  graph: { edges: [edge('__start__', 'plan'), edge('plan', 'code'), edge('code', '__end__')] },
}

function findings(value: unknown): string {
  const checked = checkDescriptor(value)
  return checked.ok ? '' : checked.findings.map(({ message }) => message).join('\n')
}

describe('a descriptor', () => {
  it('is taken as it is', () => {
    const full = { ...good, input: { type: 'object' }, permissions: { exec: ['git'] } }
    expect(checkDescriptor(full)).toEqual({ ok: true, descriptor: full, warnings: [] })
  })

  it.each([
    ['nothing', undefined, /undefined/],
    ['a list', [], /descriptor/],
    ['no graph', { description: 'd', roles: {} }, /descriptor\.graph/],
    ['an empty description', { ...good, description: ' ' }, /say in a sentence/],
    ['an edge to no role', { ...good, graph: { edges: [edge('plan', 'gone')] } }, /edges\.0\.to: "gone"/],
    ['an edge from no role', { ...good, graph: { edges: [edge('gone', 'plan')] } }, /edges\.0\.from: "gone"/],
    ['an edge to an inherited name', { ...good, graph: { edges: [edge('plan', 'toString')] } }, /"toString"/],
    ['an edge into the start', { ...good, graph: { edges: [edge('plan', '__start__')] } }, /"__start__"/],
    ['an edge out of the end', { ...good, graph: { edges: [edge('__end__', 'plan')] } }, /"__end__"/],
    ['a role with a bad name', { ...good, roles: { ...good.roles, Bad_Name: role } }, /"Bad_Name" is no role name/],
    ['a reserved role', { ...good, roles: { ...good.roles, __end__: role } }, /"__end__" is no role name/],
    ['a command with a path', { ...good, permissions: { exec: ['/bin/sh'] } }, /"\/bin\/sh" is no command name/],
    ['NUL in a text', { ...good, description: 'a\0' }, /descriptor\.description: .*NUL/],
    ['half a surrogate pair', { ...good, description: '\ud800' }, /surrogate/],
    ['NUL in a key', { ...good, roles: { plan: { ...role, schema: { 'a\0': 1 } } } }, /a key holds a NUL/],
    ['the key __proto__', { ...good, input: JSON.parse('{"__proto__": {"x": 1}}') }, /__proto__ is not allowed/],
    ['a number that JSON lacks', { ...good, input: { a: Number.POSITIVE_INFINITY } }, /must be JSON/],
    ['too many bytes', { ...good, description: 'é'.repeat(600_000) }, /at most 1048576/],
  ])('is refused with %s', (_what, value, message) => {
    expect(findings(value)).toMatch(message)
  })

  it('is refused when it nests too deeply, without overflow', () => {
    expect(findings({ ...good, input: JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) })).toMatch(
      /deeper than 64/,
    )
  })

  it('names all its problems at once', () => {
    const value = { ...good, roles: { X: role }, permissions: { exec: ['a b'] } }
    expect(findings(value).split('\n')).toHaveLength(6)
  })

  it('warns of roles that nothing leads to, and of an end that nothing leads to', () => {
    const warnings = (edges: object[]) => {
      const checked = checkDescriptor({ ...good, graph: { edges } })
      return checked.ok ? checked.warnings.join('\n') : 'refused'
    }
    expect(warnings([edge('__start__', 'plan'), edge('plan', '__end__'), edge('code', 'plan')])).toMatch(/role "code"/)
    expect(warnings([edge('__start__', 'plan'), edge('plan', 'code'), edge('code', 'plan')])).toMatch(/__end__/)
    expect(warnings([])).toMatch(/no edges/)
  })
})
