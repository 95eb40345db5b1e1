import type { Queryable } from '@/db/client'
import { findRefs } from '@/db/queries/cas/find-refs'
import { readBundle, readThreadChain, type ThreadChainRow } from '@/db/queries/cas/read-stored'
import { AppError } from '@/server/kernel/errors'
import type { Hash, ThreadId } from '@/server/kernel/ids'
import type { VerifyReport } from '@/server/threads/views'
import { affectedThreads, type Damage, MAX_AFFECTED } from './affected-threads'
import { checkRelations, type Heights } from './chain-rules'
import { bottomUp, type Graph, readGraph, recomputeDigests, withBodies } from './graph'
import { digestOf, initHash } from './hash'
import type { Finding } from './inspect'
import { ancestorHeights } from './nodes'
import { objectNotFound } from './not-found'
import { checkBundle, checkThread } from './thread-rules'

/** Findings that one report lists, at most. */
export const MAX_FINDINGS = 1_000

/**
 * Recomputes every hash and digest of a thread's history from the stored bytes, down to its start node, its contents, its
 * child threads and its callers, and checks all that is stored twice: refs, columns, chain, bundle, the thread's own row.
 * Throws NOT_FOUND for an unknown thread; damage is in the report, never thrown.
 */
export async function verifyThread(db: Queryable, id: ThreadId): Promise<VerifyReport> {
  const thread = await readThreadChain(db, id)
  if (thread === null) {
    throw new AppError('NOT_FOUND', `There is no thread ${id}. Look for it in the list of threads.`, {
      what: 'thread',
      id,
    })
  }
  return verifyBelow(db, [thread.head, thread.start], thread)
}

/** The same for everything below one object. Throws NOT_FOUND when it is not stored. */
export async function verifyTree(db: Queryable, hash: Hash): Promise<VerifyReport> {
  await mustExist(db, hash)
  return verifyBelow(db, [hash], null)
}

/** One object by itself: its bytes, columns and refs, and its digest from the stored digests of its refs. Throws NOT_FOUND. */
export async function verifyObject(db: Queryable, hash: Hash): Promise<VerifyReport> {
  await mustExist(db, hash)
  const began = performance.now()
  await initHash()
  const graph = await readGraph(db, [hash], { shallow: true })
  const refs = graph.nodes.get(hash)?.refs ?? []
  const stored = new Map((await findRefs(db, refs)).map((ref) => [ref.hash, ref.digest]))
  for (const ref of refs) if (!stored.has(ref)) graph.missing.set(ref, hash)
  await withBodies(db, graph, [hash], (node, body) => {
    const below = refs.flatMap((ref) => stored.get(ref) ?? [])
    if (!node.sound || below.length < refs.length || digestOf(body, below).equals(node.digest)) return
    const message = 'Its digest is not that of its bytes and the stored digests of its refs.'
    graph.findings.push({ hash, type: node.type, problem: 'digest', message })
  })
  return reportOf(db, graph, { heights: new Map(), thread: null, headDigest: graph.nodes.get(hash)?.digest, began })
}

async function verifyBelow(db: Queryable, roots: string[], thread: ThreadChainRow | null): Promise<VerifyReport> {
  const began = performance.now()
  await initHash()
  const graph = await readGraph(db, roots)
  const order = bottomUp(graph, roots, (from, to) => {
    const message = `It refers to ${to}, which refers to it again.`
    graph.findings.push({ hash: from, type: graph.nodes.get(from)?.type ?? 'unknown', problem: 'chain', message })
  })
  const digests = await recomputeDigests(db, graph, order)
  const { heights, findings } = checkRelations(graph, order)
  graph.findings.push(...findings)
  const bundles = new Set([...graph.nodes.values()].flatMap((node) => node.start?.bundle ?? []))
  for (const bundle of bundles) graph.findings.push(...checkBundle(bundle, await readBundle(db, bundle)))
  if (thread !== null) graph.findings.push(...checkThread(thread, graph, heights))
  const head = digests.get(roots[0] ?? '')
  return reportOf(db, graph, { heights, thread, headDigest: head?.recomputed ?? head?.stored, began })
}

async function reportOf(
  db: Queryable,
  graph: Graph,
  context: { heights: Heights; thread: ThreadChainRow | null; headDigest: Buffer | undefined; began: number },
): Promise<VerifyReport> {
  const findings = [...graph.findings, ...missingIn(graph)]
  const affected = findings.length === 0 ? [] : await affectedThreads(db, damageOf(findings, graph, context.heights))
  // Its own row says how the thread is found; when that is what is damaged, the search may not find it.
  if (findings.length > 0 && context.thread !== null) affected.push(context.thread.id)
  return {
    ok: findings.length === 0,
    headDigest: context.headDigest?.toString('hex') ?? null,
    nodes: graph.nodes.size,
    bytes: graph.bytes,
    findings: findings.slice(0, MAX_FINDINGS),
    affectedThreads: [...new Set(affected)].sort().slice(0, MAX_AFFECTED),
    durationMs: Math.round(performance.now() - context.began),
  }
}

function missingIn(graph: Graph): Finding[] {
  return [...graph.missing].map(([hash, referrer]) => ({
    hash,
    type: 'unknown',
    problem: 'missing',
    message: hash === referrer ? 'It is not stored.' : `It is not stored, and ${referrer} refers to it.`,
  }))
}

function damageOf(findings: readonly Finding[], graph: Graph, heights: Heights): Damage {
  const damage: Damage = { states: [], starts: [], blobs: [], bundles: [] }
  const named = findings.slice(0, MAX_FINDINGS)
  const pointed = pointedAt(graph, heights, new Set(named.map((finding) => finding.hash)))
  for (const { hash, type } of named) {
    if (type === 'thread') continue
    if (type === 'bundle') damage.bundles.push(hash)
    else if (type === 'state') damage.states.push(...placesOf(hash, graph, heights), ...(pointed.get(hash) ?? []))
    else if (type === 'start') damage.starts.push(hash)
    else if (type === 'unknown') {
      // What it was is not known any more: look for it as each.
      damage.states.push(...(pointed.get(hash) ?? []))
      damage.starts.push(hash)
      damage.blobs.push(hash)
    } else damage.blobs.push(hash)
  }
  return damage
}

/** Where a state node's own row puts it. */
function placesOf(hash: string, graph: Graph, heights: Heights): Damage['states'] {
  const own = graph.nodes.get(hash)
  const start = own?.state?.start ?? own?.place?.start
  const height = heights.get(hash) ?? own?.place?.height
  return start === undefined || height === undefined ? [] : [{ hash, height, start }]
}

/** Where the nodes above put each of `wanted`, whose own rows are gone or say nothing that can be trusted. */
function pointedAt(graph: Graph, heights: Heights, wanted: ReadonlySet<string>): Map<string, Damage['states']> {
  const places = new Map<string, Damage['states']>()
  for (const node of graph.nodes.values()) {
    const above = heights.get(node.hash)
    if (node.state === null || above === undefined) continue
    const reached = ancestorHeights(above)
    for (const [index, hash] of node.state.ancestors.entries()) {
      const height = reached[index]
      if (height === undefined || !wanted.has(hash) || graph.nodes.get(hash)?.sound) continue
      const known = places.get(hash) ?? []
      if (known.some((place) => place.height === height && place.start === node.state?.start)) continue
      places.set(hash, [...known, { hash, height, start: node.state.start }])
    }
  }
  return places
}

async function mustExist(db: Queryable, hash: string): Promise<void> {
  if ((await findRefs(db, [hash])).length === 0) throw objectNotFound(hash)
}
