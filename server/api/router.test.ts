import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '@/db/client'
import { type Permission, ROLE_PERMISSIONS, ROLES, type Role } from '@/server/access/permissions'
import { AppError } from '@/server/kernel/errors'
import { createWatchHub } from '@/server/threads/watch'
import { createContext } from './context'
import { appRouter, createCaller } from './root'

/** Nothing listens there, and nothing needs it: no call of this file gets past its input. */
const db = openDatabase('postgres://nobody@127.0.0.1:1/none', { purpose: 'test', max: 1 })
const services = { db, hub: createWatchHub(db), embedded: false }

afterAll(() => db.close())

// At run time a router holds all its procedures flat, by dotted path; its type is nested as the routers are.
const flat = appRouter._def.procedures as unknown as Record<string, { _def: { meta?: { permission?: Permission } } }>
const procedures = Object.entries(flat).map(([path, { _def }]) => ({ path, def: _def }))

async function call(path: string, authenticate: Parameters<typeof createContext>[1]): Promise<unknown> {
  const caller = createCaller(createContext(services, authenticate))
  const [noun = '', verb = ''] = path.split('.')
  const procedure: unknown = Reflect.get(Reflect.get(caller, noun), verb)
  if (typeof procedure !== 'function') throw new Error(`${path} cannot be called`)
  return procedure({ unknownField: true }).then(
    () => 'passed',
    (error: unknown) => error,
  )
}

const as = (role: Role) => async () => ({ name: 'test', origin: 'api' as const, role })
const stranger = async () => {
  throw new AppError('UNAUTHORIZED', 'no credentials', {})
}

it('the router has the procedures that clients are built on', () => {
  expect(procedures.map(({ path }) => path).sort()).toEqual([
    'cas.gc',
    'cas.gcRuns',
    'cas.get',
    'cas.list',
    'cas.pin',
    'cas.pins',
    'cas.put',
    'cas.refs',
    'cas.remove',
    'cas.unpin',
    'cas.verify',
    'runner.drain',
    'runner.lift',
    'runner.list',
    'runner.quarantines',
    'system.info',
    'system.invariants',
    'system.rebuild',
    'thread.callStack',
    'thread.children',
    'thread.compare',
    'thread.control',
    'thread.fork',
    'thread.forks',
    'thread.get',
    'thread.input',
    'thread.inputs',
    'thread.list',
    'thread.logs',
    'thread.records',
    'thread.remove',
    'thread.retry',
    'thread.start',
    'thread.verify',
    'thread.waits',
    'thread.watch',
    'thread.watchList',
    'workflow.add',
    'workflow.descriptor',
    'workflow.get',
    'workflow.grant',
    'workflow.history',
    'workflow.limits',
    'workflow.list',
    'workflow.rollback',
    'workflow.source',
    'workflow.validate',
  ])
})

it.each(procedures)('$path names its permission and has an output schema', ({ def }) => {
  expect(def.meta).toMatchObject({ permission: expect.any(String) })
  expect(def).toHaveProperty('output', expect.anything())
})

it.each(procedures)('$path without credentials is UNAUTHORIZED, before its input is looked at', async ({ path }) => {
  expect(await call(path, stranger)).toMatchObject({ code: 'UNAUTHORIZED', message: 'no credentials' })
})

it.each(ROLES.flatMap((role) => procedures.map(({ path, def }) => ({ role, path, permission: def.meta?.permission }))))(
  '$role calls $path: let in exactly when the table says $permission',
  async ({ role, path, permission }) => {
    const allowed = ROLE_PERMISSIONS[role].some((one) => one === permission)
    // Who is let in is told that the input has a field that the procedure does not know.
    expect(await call(path, as(role))).toMatchObject({ code: allowed ? 'BAD_REQUEST' : 'FORBIDDEN' })
  },
)
