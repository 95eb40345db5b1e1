import type { Queryable } from '@/db/client'
import { brokenQuarantines, overfullRunners, overfullWorkflows } from '@/db/queries/ops/invariants/bounds'
import { brokenChains, misfitHeads } from '@/db/queries/ops/invariants/chains'
import type { Look, Violation } from '@/db/queries/ops/invariants/look'
import { abandonedLeases, lateEnds, oldTasks, unclaimed } from '@/db/queries/ops/invariants/progress'
import { danglingHeads, misfitProjections, missingBundles } from '@/db/queries/ops/invariants/references'
import { misfitColumns, misfitDepths, misfitEnds, misfitEvents } from '@/db/queries/ops/invariants/thread-columns'
import { misfitWaits, missedWakes, orphans, waitCircles } from '@/db/queries/ops/invariants/waits'
import { BOUNDS } from '@/server/threads/limits'

/** Open waits that the search for circles looks at. */
const MOST_WAITS = 10_000
/** Crashes in a minute that a version may have: `count_crash` in the migrations. */
const MOST_CRASHES = 5

export type Invariant = {
  name: string
  /** What holds, as a sentence. */
  title: string
  /** Looks again before it reports: what it finds may be under way. */
  settles?: true
} & (
  | { of: 'threads'; check: (db: Queryable, ids: string[], look: Look & { maxHeight: number }) => Promise<Violation[]> }
  | { of: 'everything'; check: (db: Queryable, look: Look) => Promise<Violation[]> }
)

/** Each is one bounded statement: over threads by their ids, or over what is under way. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'status',
    title: 'Lease, command, times and result of a thread fit its status.',
    of: 'threads',
    check: misfitColumns,
  },
  {
    name: 'ends',
    title: 'A thread is finished exactly when its head is an end node.',
    of: 'threads',
    check: misfitEnds,
  },
  { name: 'heads', title: 'The head of a thread is the node that its row says.', of: 'threads', check: misfitHeads },
  {
    name: 'chains',
    title: 'Every chain leads from the head to the start without a gap, and its steps are counted right.',
    of: 'threads',
    check: brokenChains,
  },
  { name: 'refs', title: 'What a thread refers to is stored.', of: 'threads', check: danglingHeads },
  { name: 'bundles', title: 'The version that a thread runs is stored.', of: 'threads', check: missingBundles },
  {
    name: 'events',
    title: 'Every change of a thread has exactly one event, and the last one says what the thread is.',
    of: 'threads',
    check: misfitEvents,
  },
  { name: 'depths', title: 'A child is one deeper than its parent.', of: 'threads', check: misfitDepths },
  {
    name: 'waits',
    title: 'A thread that waits has one open wait, a finished thread none.',
    of: 'threads',
    check: misfitWaits,
  },
  {
    name: 'wakes',
    title: 'Every thread that waits will be woken: nothing that it waits for has passed unnoticed.',
    of: 'threads',
    settles: true,
    check: missedWakes,
  },
  {
    name: 'circles',
    title: 'No threads wait for each other in a circle.',
    of: 'everything',
    check: (db, look) => waitCircles(db, look, MOST_WAITS),
  },
  { name: 'children', title: 'When a thread has ended, its children end.', of: 'threads', check: orphans },
  {
    name: 'leases',
    title: 'No thread is held by nobody: leases that ran out are taken over.',
    of: 'everything',
    settles: true,
    check: abandonedLeases,
  },
  {
    name: 'queue',
    title: 'A queued thread is claimed when a runner is free that may take it.',
    of: 'everything',
    settles: true,
    check: unclaimed,
  },
  {
    name: 'tasks',
    title: 'What one thread leaves to do for another is done soon.',
    of: 'everything',
    settles: true,
    check: oldTasks,
  },
  {
    name: 'lateness',
    title: 'Kills and deadlines end a thread within the grace time.',
    of: 'everything',
    settles: true,
    check: (db, look) => lateEnds(db, look, BOUNDS.abortGraceSeconds.ceiling),
  },
  {
    name: 'capacity',
    title: 'No runner holds more threads than its capacity.',
    of: 'everything',
    settles: true,
    check: overfullRunners,
  },
  {
    name: 'concurrency',
    title: 'No workflow runs more threads than its limit, over all runners.',
    of: 'everything',
    check: overfullWorkflows,
  },
  {
    name: 'quarantines',
    title: 'No thread of a version in quarantine is claimed, until somebody lifts it by name.',
    of: 'everything',
    check: (db, look) => brokenQuarantines(db, look, MOST_CRASHES),
  },
  {
    name: 'projections',
    title: 'Every workflow is what its newest event says; versions and pins name what is stored.',
    of: 'everything',
    check: misfitProjections,
  },
]

/** Checked over all objects, in a deep look only. */
export const OBJECTS = { name: 'objects', title: 'Everything that any object refers to is stored.' } as const
