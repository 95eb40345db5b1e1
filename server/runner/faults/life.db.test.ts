import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import * as steps from './life-commands'
import { isOver, type Life, newLife } from './life-model'
import { clear, expectSame, installWorkflows, RUNNER } from './life-world'

const db = await testDatabase()
await installWorkflows(db)
/** Of the database's clock, which a run moves by hours: nothing may be on its way at the end. */
const SETTLED_SECONDS = 1

type Command = fc.AsyncCommand<Life, null>

/** Does a step to the n-th thread, and then looks at everything. */
const command = (name: string, step: steps.Step) =>
  fc.nat(20).map(
    (n): Command => ({
      check: (life) => life.threads.size > 0,
      toString: () => `${name} ${n}`,
      async run(life) {
        const all = [...life.threads.values()]
        const thread = all[n % all.length]
        if (thread === undefined) return
        await step(db, life, thread)
        await expectSame(db, life)
      },
    }),
  )

const claims = fc.tuple(
  fc.constantFrom('runner-a', 'runner-b', 'runner-c'),
  fc.integer({ min: 1, max: 4 }),
  fc.boolean(),
)
const commands = fc.commands(
  [
    claims.chain((args) => command(`claim(${args})`, steps.claim(...args))),
    claims.chain((args) => command(`claim(${args})`, steps.claim(...args))),
    fc.constantFrom(0, 0, 0, 1).chain((behind) => command(`append(${behind})`, steps.appendTo(null, behind))),
    fc.constantFrom(0, 3).chain((code) => command(`end(${code})`, steps.appendTo(code, 0))),
    command('end, stale', steps.appendTo(0, 1)),
    command('wait', steps.waits),
    command('wait', steps.waits),
    command('input', steps.input),
    command('startChild', steps.startChild),
    fc
      .constantFrom('free' as const, 'narrow' as const)
      .chain((name) => command(`start(${name})`, steps.startNew(name))),
    command('pause', steps.pause),
    command('resume', steps.resume),
    command('park', steps.park),
    command('kill', steps.kill),
    command('retry', steps.retry),
    command('remove', steps.remove),
    command('fork', steps.fork),
    fc
      .tuple(fc.constantFrom('released' as const, 'crashed' as const), fc.constantFrom(0, 0, 1))
      .chain((args) => command(`requeue(${args})`, steps.requeue(...args))),
    command('orders', steps.orders),
    fc.nat(1).chain((behind) => command(`beat(${behind})`, steps.beat(behind))),
    command('expire', steps.expire),
    fc.constantFrom(null, 1, 2).chain((bound) => command(`bound(${bound})`, steps.bound(bound))),
    command('lift', steps.lift),
  ],
  { maxCommands: 45 },
)

/** Lets everything come to its end: what can still happen does, and what was asked is done. */
async function finish(life: Life): Promise<void> {
  await steps.bound(null)(db, life, any(life))
  for (let round = 0; [...life.threads.values()].some((thread) => !isOver(thread)); round++) {
    expect(round).toBeLessThan(20)
    await steps.lift(db, life, any(life))
    while (life.kills.length > 0) await steps.orders(db, life, any(life))
    await steps.expire(db, life, any(life))
    await steps.claim(RUNNER, 100, true)(db, life, any(life))
    for (const thread of [...life.threads.values()]) {
      if (thread.status === 'running') await steps.appendTo(0, 0)(db, life, thread)
      else if (thread.status === 'paused') await steps.resume(db, life, thread)
      else if (thread.status === 'waiting' && thread.wait?.kind === 'input') await steps.input(db, life, thread)
    }
  }
  await steps.claim(RUNNER, 1, false)(db, life, any(life))
  while (life.kills.length > 0) await steps.orders(db, life, any(life))
}

function any(life: Life) {
  const [thread] = life.threads.values()
  if (thread === undefined) throw new Error('a run keeps a thread')
  return thread
}

test('any order of commands, waits, children, losses and ends leaves the rows as the model says, every invariant whole, and nothing that cannot end', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      await clear(db)
      const life = newLife()
      for (const name of ['free', 'narrow', 'narrow'] as const) await steps.begin(db, life, name)
      await fc.asyncModelRun(() => ({ model: life, real: null }), list)
      if (life.threads.size === 0) return
      await finish(life)
      await expectSame(db, life, SETTLED_SECONDS)
      for (const id of life.threads.keys()) {
        expect((await verifyThread(db, threadIdSchema.parse(id))).findings).toEqual([])
      }
    }),
    { numRuns: 20 },
  )
}, 240_000)
