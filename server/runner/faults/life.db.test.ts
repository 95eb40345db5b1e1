import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import * as steps from './life-commands'
import { isOver, type Life, type LifeThread, newLife } from './life-model'
import { clear, expectSame, installWorkflows, RUNNER } from './life-world'

const db = await testDatabase()
await installWorkflows(db)
/** Of the database's clock, which a run moves by hours: nothing may be on its way at the end. */
const SETTLED_SECONDS = 1

type Command = fc.AsyncCommand<Life, null>

/**
 * Does a step to the n-th thread, and then looks at everything. Mostly to one of those that it changes (`fits`), for else nearly all of
 * what happens would be refusals.
 */
const command = (name: string, step: steps.Step, fits: (thread: LifeThread, life: Life) => boolean = () => true) =>
  fc.tuple(fc.nat(20), fc.nat(3)).map(
    ([n, any]): Command => ({
      check: (life) => life.threads.size > 0,
      toString: () => `${name} ${n}${any === 0 ? ' of all' : ''}`,
      async run(life) {
        const all = [...life.threads.values()]
        const fitting = any === 0 ? all : all.filter((one) => fits(one, life))
        const thread = fitting.length > 0 ? fitting[n % fitting.length] : all[n % all.length]
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
const running = (thread: LifeThread) => thread.status === 'running'
const unfinished = (thread: LifeThread) => !isOver(thread)
const isChild = (thread: LifeThread) => thread.parent !== null && !isOver(thread)
const asks = (thread: LifeThread) => thread.wait?.kind === 'input' && !thread.wait.answered
const ended = (thread: LifeThread) => thread.status === 'failed' || thread.status === 'killed'
/** Something is asked of the runner that holds it. */
const asked = (thread: LifeThread) => thread.control !== null
/** Somebody waits for its end. */
const awaited = (thread: LifeThread, { threads }: Life) =>
  !isOver(thread) &&
  [...threads.values()].some(
    ({ wait }) => wait?.kind === 'threads' && !wait.answered && wait.targets.includes(thread.id),
  )
const paused = (thread: LifeThread) => thread.status === 'paused' || thread.control === 'pause'

/** `appendTo` and its like, to a thread that has its children, where there is one. */
const calls = (thread: LifeThread) => running(thread) && thread.children.length > 0

const often = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one)
const commands = fc.commands(
  [
    ...often(
      4,
      claims.chain((args) => command(`claim(${args})`, steps.claim(...args))),
    ),
    ...often(
      2,
      fc.constantFrom(0, 0, 0, 1).chain((old) => command(`append(${old})`, steps.appendTo(null, old), running)),
    ),
    fc.constantFrom(0, 3).chain((code) => command(`end(${code})`, steps.appendTo(code, 0), running)),
    fc
      .constantFrom(0, 3)
      .chain((code) => command(`end of child(${code})`, steps.appendTo(code, 0), (t) => isChild(t) && running(t))),
    fc.constantFrom(0, 3).chain((code) => command(`awaited end(${code})`, steps.appendTo(code, 0), awaited)),
    command('kill awaited', steps.kill, awaited),
    command('remove awaited', steps.remove, awaited),
    command('pause', steps.pause, running),
    command('append, asked', steps.appendTo(null, 0), asked),
    command('end, asked', steps.appendTo(0, 0), asked),
    command('wait, asked', steps.waits, asked),
    fc
      .constantFrom('released' as const, 'crashed' as const)
      .chain((event) => command(`requeue, asked(${event})`, steps.requeue(event, 0), asked)),
    command('stale end', steps.appendTo(0, 1), running),
    ...often(2, command('wait', steps.waits, running)),
    command('wait for children', steps.waits, calls),
    ...often(2, command('input', steps.input, asks)),
    command('input', steps.input, unfinished),
    ...often(2, command('startChild', steps.startChild, running)),
    fc
      .constantFrom('free' as const, 'narrow' as const)
      .chain((name) => command(`start(${name})`, steps.startNew(name))),
    command('pause', steps.pause, unfinished),
    command('resume', steps.resume, paused),
    command('park', steps.park, asked),
    command('kill', steps.kill, unfinished),
    command('kill child', steps.kill, isChild),
    command('retry', steps.retry, ended),
    command('remove', steps.remove),
    command('remove child', steps.remove, isChild),
    command('fork', steps.fork),
    fc
      .tuple(fc.constantFrom('released' as const, 'crashed' as const), fc.constantFrom(0, 0, 1))
      .chain((args) => command(`requeue(${args})`, steps.requeue(...args), running)),
    command('orders', steps.orders),
    fc.nat(1).chain((behind) => command(`beat(${behind})`, steps.beat(behind))),
    command('expire', steps.expire),
    fc.constantFrom(null, 1, 2).chain((bound) => command(`bound(${bound})`, steps.bound(bound))),
    command('lift', steps.lift),
  ],
  // As many as are allowed, and not the few that are the default.
  { maxCommands: 100, size: 'max' },
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
    // By time on a machine that is busy: a run that is cut off has held until then.
    { numRuns: 15, interruptAfterTimeLimit: 90_000 },
  )
}, 240_000)
