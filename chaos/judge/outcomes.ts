import type { Ledger } from '../ledger'
import { inputKey } from '../ledger'
import { eventsOf, type JudgedThread } from './read-threads'

type Threads = ReadonlyMap<string, JudgedThread>

/** Whether every thread ended as its script and what was done to it say. Answers with what is wrong, a sentence each. Pure. */
export function judgeOutcomes(threads: Threads, ledger: Ledger): string[] {
  return [...threads.values()].flatMap((thread) => [
    ...judgeEnd(thread, threads, ledger),
    ...judgeSteps(thread),
    ...judgeAnswers(thread, threads, ledger),
    ...judgeChildren(thread, threads, ledger),
  ])
}

function judgeEnd(thread: JudgedThread, threads: Threads, ledger: Ledger): string[] {
  const { status, returnCode, script } = thread
  const ends = `Thread ${thread.id} ended as ${status} (${returnCode}, ${thread.summary})`
  if (status === 'dropped') {
    const may = thread.workflow === 'chaos-drop' && thread.steps === 0
    return may ? [] : [`${ends}: nothing refuses it.`]
  }
  if (ledger.dropped.has(thread.id)) return [`${ends}, but its start was answered with dropped.`]
  if (status === 'killed') return mayBeKilled(thread, threads, ledger) ? [] : [`${ends}: nobody killed it.`]
  if (ledger.kills.get(thread.id) === 'done' && !ledger.retried.has(thread.id))
    return [`${ends}, but its kill was answered with done.`]
  const code = script.end === 'throws' ? 1 : script.end
  const expected = code === 0 ? 'completed' : 'failed'
  return status === expected && returnCode === code ? [] : [`${ends}, its script says ${expected} (${code}).`]
}

/** By the operator, or because the thread that started it ended first. */
function mayBeKilled(thread: JudgedThread, threads: Threads, ledger: Ledger): boolean {
  if (ledger.kills.has(thread.id)) return true
  const parent = threads.get(thread.parentThread ?? '')
  const ended = parent !== undefined && eventsOf(parent, 'killed', 'finished') > 0
  return ended && (thread.killReason ?? '').includes(`its parent ${parent.id} ended`)
}

/** Each step once and in order; all of them where it completed. */
function judgeSteps(thread: JudgedThread): string[] {
  const { nodes, script } = thread
  const wrong = nodes.findIndex((node, n) => node.meta.n !== n || node.role !== script.ops[n]?.do)
  if (wrong >= 0) return [`Step ${wrong} of thread ${thread.id} is not the one of its script.`]
  if (nodes.length !== thread.steps)
    return [`Thread ${thread.id} has ${nodes.length} steps, its row says ${thread.steps}.`]
  const whole = thread.status === 'completed' && nodes.length !== script.ops.length
  return whole ? [`Thread ${thread.id} completed with ${nodes.length} of ${script.ops.length} steps.`] : []
}

/** What a question was answered with was given to this thread, or to one that it was forked from, under its name. */
function judgeAnswers(thread: JudgedThread, threads: Threads, ledger: Ledger): string[] {
  return thread.nodes.flatMap((node, n) => {
    const op = thread.script.ops[n]
    if (op?.do !== 'ask') return []
    const got = node.meta.got as { answered?: boolean; value?: unknown } | null
    const said = `Thread ${thread.id} was answered ${JSON.stringify(got)} to ${op.name}`
    if (got?.answered !== true) return op.seconds === undefined ? [`${said}, which has no timeout.`] : []
    const early = ledger.early.get(inputKey(thread.id, op.name))
    const undisturbed = node.own && !ledger.kills.has(thread.id) && !ledger.retried.has(thread.id)
    if (early !== undefined && undisturbed && got.value !== early) return [`${said}, but ${early} was given before.`]
    const lineage = lineageOf(thread, threads)
    const given = lineage.some((id) => ledger.given.get(inputKey(id, op.name))?.includes(String(got.value)))
    return given ? [] : [`${said}, which nobody gave.`]
  })
}

function lineageOf(thread: JudgedThread, threads: Threads): string[] {
  const source = threads.get(thread.sourceThread ?? '')
  return [thread.id, ...(source === undefined ? [] : lineageOf(source, threads))]
}

/** However often its roles ran, a thread has started each child once. After a retry it may start some anew. */
function judgeChildren(thread: JudgedThread, threads: Threads, ledger: Ledger): string[] {
  if (thread.status !== 'completed' || ledger.retried.has(thread.id)) return []
  const children = [...threads.values()].filter((other) => other.parentThread === thread.id)
  const expected = thread.nodes.reduce((sum, node, n) => {
    const op = thread.script.ops[n]
    return node.own && op?.do === 'children' ? sum + op.scripts.length : sum
  }, 0)
  if (children.length === expected) return []
  return [`Thread ${thread.id} has ${children.length} children, its steps started ${expected}.`]
}
