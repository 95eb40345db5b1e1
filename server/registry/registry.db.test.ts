import { describe, expect, it } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { isAppError } from '@/server/kernel/errors'
import { addWorkflow } from './add'
import { getWorkflow } from './get'
import { grantWorkflow } from './grant'
import { workflowHistory } from './history'
import { limitWorkflow } from './limit'
import { listWorkflows } from './list'
import { rebuildProjection } from './rebuild-projection'
import { resolveBundle } from './resolve'
import { rollbackWorkflow } from './rollback'
import { bundleSource } from './source'

const db = await testDatabase()
const ann = { name: 'key:ann', role: 'admin' } as const
const bob = { name: 'key:bob', role: 'author' } as const

/** A bundle that differs from others by its description. */
function bundle(description: string, descriptor = ''): string {
  return `export const descriptor = { description: ${JSON.stringify(description)}, roles: { greet: { description: 'Greets.', schema: { type: 'object' } } }, graph: { edges: [
    { from: '__start__', to: 'greet', condition: 'FALLBACK', conditionDescription: null },
    { from: 'greet', to: '__end__', condition: 'FALLBACK', conditionDescription: null } ] } ${descriptor} }
export async function* run() { return { returnCode: 0, summary: '' } }
`
}

function add(name: string, source: string, more: object = {}, actor: typeof ann | typeof bob = ann) {
  return addWorkflow(db, { name, fileName: `${name}.esm.js`, source, ...more }, actor)
}

async function counts() {
  const [row] =
    await db.sql`select (select count(*) from bundles) as bundles, (select count(*) from workflows) as workflows,
    (select count(*) from registry_events) as events`
  return row
}

async function errorOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!isAppError(error)) throw new Error(`expected an AppError, got ${String(error)}`)
  return error
}

describe('adding', () => {
  it('stores the bundle byte for byte and makes it current', async () => {
    const source = bundle('first ✓ "quoted" \\ back\\u0000slash')
    const added = await add('stored', source, { note: 'the first' })
    expect(added).toMatchObject({ name: 'stored', created: true, warnings: [] })
    expect((await bundleSource(db, added.hash)).source).toBe(source)
    const detail = await getWorkflow(db, 'stored')
    expect(detail).toMatchObject({ current: added.hash, version: added.version, state: 'active' })
    expect(detail.versions).toMatchObject([
      { hash: added.hash, addedBy: 'key:ann', note: 'the first', isCurrent: true },
    ])
  })

  it('keeps the fields of the input in the order in which the author wrote them: the form follows it', async () => {
    const input = "{ type: 'object', properties: { branch: {}, channel: {}, fail: {}, owner: {}, at: {} } }"
    await add('ordered', bundle('ordered', `, input: ${input}`))
    const { descriptor } = await getWorkflow(db, 'ordered')
    expect(JSON.stringify(descriptor.input)).toBe(
      '{"type":"object","properties":{"branch":{},"channel":{},"fail":{},"owner":{},"at":{}}}',
    )
  })

  it('writes nothing when the same bytes are current already', async () => {
    const first = await add('again', bundle('again'))
    const before = await counts()
    const second = await add('again', bundle('again'))
    expect(second).toEqual({ ...first, created: false })
    expect(await counts()).toEqual(before)
  })

  it('keeps one bundle for two names', async () => {
    const first = await add('one-name', bundle('shared'))
    const before = await counts()
    const second = await add('other-name', bundle('shared'))
    expect(second.hash).toBe(first.hash)
    expect(second.created).toBe(true)
    expect((await counts())?.bundles).toBe(before?.bundles)
  })

  it('makes an earlier version current again, as a new event of a known version', async () => {
    const a = await add('back', bundle('back a'))
    await add('back', bundle('back b'))
    const again = await add('back', bundle('back a'))
    expect(again).toMatchObject({ hash: a.hash, created: false })
    expect((await getWorkflow(db, 'back')).current).toBe(a.hash)
    expect((await workflowHistory(db, { name: 'back', limit: 10 })).items.map(({ type }) => type)).toEqual([
      'added',
      'added',
      'added',
    ])
  })

  it.each([
    ['code that does not parse', 'export const ='],
    ['a descriptor that is no descriptor', 'export const descriptor = { roles: {} }; export async function* run() {}'],
    ['code that throws while it loads', `${bundle('throws')}\nthrow new Error('at load')`],
    ['a graph about a role that is not there', bundle('unknown').replace("to: 'greet'", "to: 'nobody'")],
  ])('leaves nothing behind of %s', async (_what, source) => {
    const before = await counts()
    const error = await errorOf(add('rejected', source))
    expect(error.code).toBe('BUNDLE_REJECTED')
    expect(error.data).toHaveProperty('findings.0.message')
    expect(await counts()).toEqual(before)
  })

  it('refuses other bytes under a hash that exists, and writes nothing', async () => {
    const { hash } = await add('collides', bundle('collides'))
    await db.sql`update bundles set source = source || ' ' where hash = ${hash}`
    const before = await counts()
    const error = await errorOf(add('collides-too', bundle('collides')))
    expect(error).toMatchObject({ code: 'HASH_COLLISION', data: { hash } })
    expect(await counts()).toEqual(before)
  })

  it('lets only one of many first writers of a name be the first, and loses no version', async () => {
    const added = await Promise.all(Array.from({ length: 5 }, (_, i) => add('crowd', bundle(`crowd ${i}`))))
    const { items } = await workflowHistory(db, { name: 'crowd', limit: 10 })
    expect(items).toHaveLength(5)
    expect(items.map(({ before }) => before)).toEqual([...items.slice(1).map(({ after }) => after), null])
    const detail = await getWorkflow(db, 'crowd')
    expect(detail.current).toBe(items[0]?.after)
    expect(new Set(detail.versions.map(({ hash }) => hash))).toEqual(new Set(added.map(({ hash }) => hash)))
  })
})

describe('compare-and-set', () => {
  it('tells the loser who did what in between', async () => {
    const first = await add('raced', bundle('raced 1'))
    await add('raced', bundle('raced 2'), { note: 'quick fix' }, bob)
    const error = await errorOf(add('raced', bundle('raced 3'), { expectedVersion: first.version }))
    expect(error.code).toBe('CONFLICT')
    expect(error.message).toMatch(/key:bob added [0-9A-Z]{13} at 20\S+Z \(quick fix\)/)
  })

  it('lets exactly one of the writers that saw the same version win', async () => {
    const { version } = await add('contended', bundle('contended'))
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, (_, i) => add('contended', bundle(`contended ${i}`), { expectedVersion: version })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason.code).toBe('CONFLICT')
  })

  it('expects version 0 of a workflow that must not exist yet', async () => {
    await add('fresh', bundle('fresh'), { expectedVersion: 0 })
    expect((await errorOf(add('fresh', bundle('fresh 2'), { expectedVersion: 0 }))).code).toBe('CONFLICT')
  })
})

describe('rolling back', () => {
  it('goes one version further back each time, forward by name, and says when there is nothing before', async () => {
    const [v1, v2, v3] = [
      await add('rolled', bundle('v1')),
      await add('rolled', bundle('v2')),
      await add('rolled', bundle('v3')),
    ]
    const back = (hash?: string) => rollbackWorkflow(db, { name: 'rolled', hash }, ann)
    expect(await back()).toMatchObject({ from: v3.hash, to: v2.hash })
    expect(await back()).toMatchObject({ from: v2.hash, to: v1.hash })
    expect((await errorOf(back())).message).toMatch(/nothing before it/)
    expect(await back(v3.hash)).toMatchObject({ from: v1.hash, to: v3.hash })
    expect(await back()).toMatchObject({ to: v2.hash })
    expect((await errorOf(back(v2.hash))).code).toBe('CONFLICT')
  })

  it('skips what was rolled away when a newer version follows', async () => {
    const good = await add('skips', bundle('good'))
    await add('skips', bundle('bad'))
    await rollbackWorkflow(db, { name: 'skips', note: 'bad' }, bob)
    await add('skips', bundle('newer'))
    expect(await rollbackWorkflow(db, { name: 'skips' }, ann)).toMatchObject({ to: good.hash })
  })

  it('refuses a bundle that this workflow never had', async () => {
    const other = await add('elsewhere', bundle('elsewhere'))
    await add('here', bundle('here'))
    expect((await errorOf(rollbackWorkflow(db, { name: 'here', hash: other.hash }, ann))).code).toBe('NOT_FOUND')
    expect((await errorOf(rollbackWorkflow(db, { name: 'nowhere' }, ann))).code).toBe('NOT_FOUND')
  })
})

describe('granting', () => {
  it('records what was granted, and shows what is asked for and missing', async () => {
    await add('asks', bundle('asks', ", permissions: { exec: ['git', 'make'] }"))
    expect((await getWorkflow(db, 'asks')).missingGrants).toEqual(['exec:git', 'exec:make'])
    const { version } = await grantWorkflow(
      db,
      { name: 'asks', grants: { exec: [{ command: 'git', folders: ['/srv/b/', '/srv/a'] }] } },
      ann,
    )
    const detail = await getWorkflow(db, 'asks')
    expect(detail).toMatchObject({
      version,
      grants: { exec: [{ command: 'git', folders: ['/srv/a', '/srv/b'] }] },
      missingGrants: ['exec:make'],
    })
    const same = { exec: [{ command: 'git', folders: ['/srv/a', '/srv/b'] }] }
    expect((await grantWorkflow(db, { name: 'asks', grants: same }, ann)).version).toBe(version)
  })

  it('comes with adding in the same transaction, for those who may grant', async () => {
    const grants = { exec: [{ command: 'git', folders: [] }] }
    const before = await counts()
    expect((await errorOf(add('granted', bundle('granted'), { grants }, bob))).code).toBe('FORBIDDEN')
    expect(await counts()).toEqual(before)
    await add('granted', bundle('granted'), { grants }, ann)
    expect((await workflowHistory(db, { name: 'granted', limit: 10 })).items.map(({ type }) => type)).toEqual([
      'granted',
      'added',
    ])
    const again = await add('granted', bundle('granted 2'), {}, bob)
    expect((await getWorkflow(db, 'granted')).grants).toEqual(grants)
    expect(again.created).toBe(true)
  })

  it('refuses a folder that is not absolute', async () => {
    await add('relative', bundle('relative'))
    const grants = { exec: [{ command: 'git', folders: ['../up'] }] }
    expect((await errorOf(grantWorkflow(db, { name: 'relative', grants }, ann))).code).toBe('BAD_INPUT')
  })
})

describe('limits', () => {
  it('replace those set before, in one form whatever their order, and stay through versions', async () => {
    await add('limited', bundle('limited a'))
    const set = (limits: object) => limitWorkflow(db, { name: 'limited', limits, note: 'slow tool' }, ann)
    const first = await set({ labels: ['gpu', 'big', 'gpu'], concurrency: 2 })
    expect(first.limits).toEqual({ concurrency: 2, labels: ['big', 'gpu'] })
    expect((await set({ concurrency: 2, labels: ['big', 'gpu'] })).version).toBe(first.version)
    await set({ queueDepth: 7, labels: [] })
    await add('limited', bundle('limited b'))
    expect((await getWorkflow(db, 'limited')).limits).toEqual({ queueDepth: 7 })
    expect((await resolveBundle(db, 'limited')).limits).toEqual({ queueDepth: 7 })
    const { items } = await workflowHistory(db, { name: 'limited', limit: 2 })
    expect(items[1]).toMatchObject({ type: 'limited', actor: 'key:ann', note: 'slow tool' })
  })

  it('are a conflict on the sight of another version, and NOT_FOUND for a workflow that is not there', async () => {
    const { version } = await add('limited-twice', bundle('limited twice'))
    await limitWorkflow(db, { name: 'limited-twice', limits: { maxRounds: 3 }, expectedVersion: version }, ann)
    const late = limitWorkflow(db, { name: 'limited-twice', limits: {}, expectedVersion: version }, bob)
    expect((await errorOf(late)).message).toMatch(/key:ann changed its limits at/)
    expect((await errorOf(limitWorkflow(db, { name: 'no-such', limits: {} }, ann))).code).toBe('NOT_FOUND')
  })
})

describe('resolving', () => {
  it('gives the current version, any version by hash, and refuses what cannot run', async () => {
    const v1 = await add('resolved', bundle('r1'))
    const v2 = await add('resolved', bundle('r2'))
    expect(await resolveBundle(db, 'resolved')).toEqual({
      name: 'resolved',
      hash: v2.hash,
      limits: {},
      permissions: [],
    })
    expect(await resolveBundle(db, `resolved@${v1.hash}`)).toMatchObject({ name: 'resolved', hash: v1.hash })
    expect((await errorOf(resolveBundle(db, 'absent'))).code).toBe('NOT_FOUND')
    expect((await errorOf(resolveBundle(db, 'resolved@0000000000000'))).code).toBe('NOT_FOUND')
    expect((await errorOf(resolveBundle(db, 'No Name'))).code).toBe('BAD_INPUT')
    expect((await errorOf(resolveBundle(db, 'resolved@xyz'))).code).toBe('BAD_INPUT')
    await db.sql`update workflows set state = 'removed' where name = 'resolved'`
    expect((await errorOf(resolveBundle(db, 'resolved'))).code).toBe('CONFLICT')
    expect((await errorOf(add('resolved', bundle('r3')))).code).toBe('CONFLICT')
    await db.sql`update workflows set state = 'active' where name = 'resolved'`
  })
})

describe('reading', () => {
  it('pages lists and history without gap or repeat', async () => {
    const names: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listWorkflows(db, { cursor, limit: 3 })
      names.push(...page.items.map(({ name }) => name))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(names).toEqual([...new Set(names)].sort())
    expect(names).toEqual((await listWorkflows(db, { limit: 200 })).items.map(({ name }) => name))

    const first = await workflowHistory(db, { name: 'rolled', limit: 3 })
    const rest = await workflowHistory(db, { name: 'rolled', limit: 200, cursor: first.nextCursor ?? undefined })
    const all = await workflowHistory(db, { name: 'rolled', limit: 200 })
    expect([...first.items, ...rest.items]).toEqual(all.items)
    expect((await errorOf(workflowHistory(db, { name: 'rolled', limit: 3, cursor: 'x' }))).code).toBe('BAD_INPUT')
  })

  it('counts the threads of each version by how they ended, of this workflow only', async () => {
    const { hash } = await add('counted', bundle('counted'))
    const thread = (id: string, workflow: string, status: string) => db.sql`
      insert into threads (id, workflow, bundle, status, start, head, actor, origin, excerpt)
      values (${id}, ${workflow}, ${hash}, ${status}, 'S', 'S', 'a', 'api', '')`
    await thread('01A', 'counted', 'completed')
    await thread('01B', 'counted', 'failed')
    await thread('01C', 'counted', 'running')
    await thread('01D', 'other', 'completed')
    const { items } = await workflowHistory(db, { name: 'counted', limit: 1 })
    expect(items[0]?.threads).toEqual({ total: 3, completed: 1, failed: 1 })
    const listed = (await listWorkflows(db, { limit: 200 })).items.find(({ name }) => name === 'counted')
    expect(listed).toMatchObject({
      description: 'counted',
      roles: 1,
      recent: [
        { id: '01C', status: 'running' },
        { id: '01B', status: 'failed' },
        { id: '01A', status: 'completed' },
      ],
    })
  })
})

describe('the projection', () => {
  it('is what its events say', async () => {
    const live = await db.sql`select name, current, state, version, grants, limits from workflows order by name`
    for (const { name, ...row } of live)
      expect({ name, ...(await rebuildProjection(db, name)) }).toEqual({ name, ...row })
  })
})
