import type { Database } from '@/db/client'
import { appendSteps } from '@/db/queries/threads/append-steps'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { requeueThreads } from '@/db/queries/threads/keep-leases'
import { moveClock } from '@/db/testing/clock'
import type { Actor } from '@/server/access/actor'
import { isAppError } from '@/server/kernel/errors'
import { END, type Hash, type ThreadId } from '@/server/kernel/ids'
import { buildNext, linkedContent, loadTop } from '@/server/threads/chain-top'
import { endThread } from '@/server/threads/control/end-thread'
import { removeThread } from '@/server/threads/control/remove'
import { forkThread } from '@/server/threads/fork'
import { startThread } from '@/server/threads/start'
import { digestOf, hashBytes, initHash } from '../../hash'
import { pinObject, unpinObject } from '../../pins'
import { putContent } from '../../put'
import { collectGarbage, GRACE_SECONDS } from '../collect'
import { danglingRefs } from './model'

/*
 * Writers that make the same bytes over and over, and collections one after the other beside them, on a clock that runs so fast
 * that what nobody holds is garbage within a second.
 */

const ACTOR: Actor = { name: 'chaos', origin: 'api', role: 'owner' }
/** Each tick of the clock: longer than the grace time, so that even a node that is being written may be old when it is there. */
const TICK_MS = (GRACE_SECONDS.floor + 60) * 1_000
const TICK_EVERY_MS = 250
/** Goes on beyond its time until so many have completed: on a loaded machine they take long. */
const MIN_COLLECTIONS = 2
/** A collector is killed after at most this, and one that follows it is left to complete. */
const KILL_WITHIN_MS = 4_000
/** Small, so that batches end in the middle of things. */
const BATCH_OBJECTS = 50
/** So many that most of them are garbage at any moment, and so few that each is soon written again. */
const TEXTS = 150
const WORKFLOW = 'chaos'
const THREADS = 25

export type ChaosCounts = {
  writes: number
  /** Refused because what they named was collected before: a legal answer, and never a half-written object. */
  missing: number
  collections: number
  collected: number
  killed: number
  looks: number
}

export type ChaosOptions = {
  seconds: number
  writers: number
  seed: number
  onSecond?: (counts: ChaosCounts) => void
}

/** Runs until the time is over, or something goes wrong, and throws then: a dangling ref, or an error that no writer may see. */
export async function gcChaos(db: Database, options: ChaosOptions): Promise<ChaosCounts> {
  const counts: ChaosCounts = { writes: 0, missing: 0, collections: 0, collected: 0, killed: 0, looks: 0 }
  const until = Date.now() + options.seconds * 1_000
  let failure: { error: unknown } | null = null
  const random = randomFrom(options.seed)
  const going = () => failure === null && (Date.now() < until || counts.collections < MIN_COLLECTIONS)
  const loop = async (work: () => Promise<void>) => {
    try {
      while (going()) await work()
    } catch (error) {
      failure ??= { error }
    }
  }
  const world: World = { db, random, counts, hashes: [] }
  await moveClock(db, 0)
  await initHash()
  await installWorkflow(db)
  await Promise.all([
    ...Array.from({ length: options.writers }, (_, n) => loop(() => write(world, `runner-${n}`))),
    loop(() => collect(world)),
    loop(() => look(world)),
    loop(() => killCollector(world)),
    loop(async () => {
      await db.sql`update test_clock set offset_ms = offset_ms + ${TICK_MS}`
      await pause(TICK_EVERY_MS)
    }),
    loop(async () => {
      await pause(1_000)
      options.onSecond?.(counts)
    }),
  ])
  // Set by the loops above.
  const failed = failure as { error: unknown } | null
  if (failed !== null) throw failed.error
  return counts
}

type World = {
  db: Database
  random: (below: number) => number
  counts: ChaosCounts
  /** Objects that were there once. */
  hashes: Hash[]
}

/** Nobody runs it: the writers play the runners. */
async function installWorkflow({ sql }: Database): Promise<void> {
  const source = 'export const run = 1'
  const hash = hashBytes(source)
  await sql`
    insert into bundles (hash, source, digest, descriptor, size) values (${hash}, ${source}, ${digestOf(source, [])}, '{}', ${source.length})
    on conflict do nothing`
  await sql`
    insert into workflows (name, current, version, limits, grants) values (${WORKFLOW}, ${hash}, 1, '{}', '{"exec":[]}')
    on conflict do nothing`
}

async function write(world: World, runner: string): Promise<void> {
  const { random, counts } = world
  const kinds = [
    putLoose,
    putLoose,
    putListing,
    start,
    start,
    start,
    append,
    append,
    append,
    append,
    fork,
    fork,
    remove,
    remove,
    pin,
  ]
  const kind = kinds[random(kinds.length)] ?? putLoose
  try {
    await kind(world, runner)
    counts.writes++
  } catch (error) {
    if (isAppError(error, 'MISSING_REF') && MAY_MISS.has(kind)) counts.missing++
    // A thread was ended or removed by another writer, or a place in its chain went with it.
    else if (
      MAY_CONFLICT.has(kind) &&
      (isAppError(error, 'CONFLICT') || isAppError(error, 'NOT_FOUND') || isAppError(error, 'CORRUPT_NODE'))
    )
      counts.missing++
    else throw error
  }
}

async function putLoose({ db, random, hashes }: World): Promise<void> {
  remember(hashes, await putContent(db, `text ${random(TEXTS)}`, []))
}

/** The same bytes have the same refs: a listing names what the texts before it are. */
async function putListing({ db, random, hashes }: World): Promise<void> {
  const below = hashes[random(hashes.length)]
  if (below !== undefined) remember(hashes, await putContent(db, `listing of ${below}`, [below]))
}

async function start({ db, random }: World): Promise<void> {
  const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from threads`
  if ((row?.n ?? 0) < THREADS) await startThread(db, { workflow: WORKFLOW, prompt: `text ${random(TEXTS)}` }, ACTOR)
}

/** A runner's turn: claims a thread, appends some steps with contents that exist or do not, ends it or gives it back. */
async function append({ db, random, hashes }: World, runner: string): Promise<void> {
  const [row] = await claimThreads(db, { runner, capacity: 1, leaseMs: 2_000_000_000, sweep: false })
  if (row === undefined) return
  const steps = random(4)
  let head = row.head
  for (let n = 0; n <= steps; n++) {
    const top = await loadTop(db, head, row.start)
    const content = linkedContent(`text ${random(TEXTS)}`)
    const ends = n === steps && random(2) === 0
    const meta = ends ? { returnCode: 0, summary: 'done' } : { n }
    const role = ends ? END : 'work'
    const node = buildNext(top, { role, meta, content, childThread: null, now: top.now })
    const thread = { thread: row.id, token: row.token }
    const appended = await appendSteps(db, {
      steps: [
        {
          ...thread,
          expected: head,
          hash: node.hash,
          counted: !ends,
          body: node.body,
          refs: node.refs,
          digest: node.digest.toString('hex'),
          role,
          start: row.start,
          content: content.hash,
          parent: node.parent,
          height: node.height,
          timestamp: node.timestamp,
          childThread: null,
          ...(ends ? { end: { status: 'completed' as const, returnCode: 0, summary: 'done' } } : {}),
        },
      ],
      contents: [
        { ...thread, hash: content.hash, refs: [], digest: content.digest.toString('hex'), body: content.body },
      ],
      runner,
      notify: false,
    })
    if (appended.length === 0) throw new Error(`thread ${row.id} did not move, though its runner holds it`)
    head = node.hash
    remember(hashes, node.hash)
    if (ends) return
  }
  const held = [{ id: row.id, token: row.token }]
  await requeueThreads(db, { runner, held, event: 'released', reason: 'chaos', delayMs: 0 })
}

async function anyThread({ db, random }: World): Promise<ThreadId | undefined> {
  // Ids of rows are ids.
  const rows = await db.sql<{ id: ThreadId }[]>`select id from threads where status <> 'running'`
  return rows[random(rows.length)]?.id
}

async function fork(world: World): Promise<void> {
  const id = await anyThread(world)
  if (id !== undefined) await forkThread(world.db, { id }, ACTOR)
}

async function remove(world: World): Promise<void> {
  const id = await anyThread(world)
  if (id === undefined) return
  if (world.random(2) === 0)
    await endThread(world.db, { id, returnCode: 137, summary: 'killed by chaos', actor: ACTOR.name })
  await removeThread(world.db, { id }, ACTOR)
}

async function pin({ db, random, hashes }: World): Promise<void> {
  const hash = hashes[random(hashes.length)]
  if (hash === undefined) return
  if (random(2) === 0) await pinObject(db, { hash }, ACTOR)
  else await unpinObject(db, hash, ACTOR)
}

const MAY_MISS = new Set<unknown>([putListing, pin])
const MAY_CONFLICT = new Set<unknown>([fork, remove, pin])

async function collect({ db, counts }: World): Promise<void> {
  try {
    const run = await collectGarbage(db, { graceSeconds: GRACE_SECONDS.floor, batchObjects: BATCH_OBJECTS }, ACTOR)
    counts.collections++
    counts.collected += run.objects
  } catch (error) {
    // It was killed, or the one before it is not quite dead.
    if (!isAppError(error, 'UNAVAILABLE') && !isAppError(error, 'CONFLICT')) throw error
  }
}

async function killCollector({ db, random, counts }: World): Promise<void> {
  await pause(random(KILL_WITHIN_MS))
  if (counts.killed > counts.collections) return
  const killed = await db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cairn-gc' and datname = current_database()`
  counts.killed += killed.count
}

async function look({ db, counts }: World): Promise<void> {
  const dangling = await danglingRefs(db)
  counts.looks++
  if (dangling.length > 0) throw new Error(`Refs lead nowhere: ${JSON.stringify(dangling)}`)
  await pause(20)
}

function remember(hashes: Hash[], hash: Hash): void {
  hashes.push(hash)
  if (hashes.length > 200) hashes.shift()
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Numbers from 0 up to but not including `below`, the same for the same seed (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return below === 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
