import { hashBytes } from '@/server/cas/hash'
import type { Told } from '../witness'
import { eventsOf, type JudgedThread } from './read-threads'

export type WitnessCount = {
  /** Rows of the witness; recorded steps, which is how many there must be at least. */
  rows: number
  recorded: number
  /** Attempts of which no step came: their threads were killed meanwhile. */
  cutOff: number
  /** Attempts that ran again, because their runner or worker was lost. */
  repeated: number
}

/**
 * Holds what roles did, as the witness saw it, against what is recorded: each recorded step was told under its attempt key and
 * no other; an attempt without a step, or one that ran again, needs an interruption that explains it. Pure.
 */
export function judgeWitness(
  threads: ReadonlyMap<string, JudgedThread>,
  told: readonly Told[],
): { count: WitnessCount; problems: string[] } {
  const problems: string[] = []
  const byKey = new Map<string, Told[]>()
  for (const row of told) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row])
  const recorded = new Map<string, string>()
  for (const thread of threads.values()) {
    for (const node of thread.nodes) {
      const { key } = node.meta
      const other = recorded.get(key)
      if (other === node.hash) continue
      if (other !== undefined) problems.push(`The steps ${other} and ${node.hash} have one attempt key, ${key}.`)
      recorded.set(key, node.hash)
      const rows = byKey.get(key) ?? []
      if (rows.length !== 1) problems.push(`Step ${node.hash} of thread ${thread.id} has ${rows.length} witnesses.`)
      // A fork shares the steps of its source, which ran them.
      const ran = rows[0]?.thread ?? thread.id
      if (key !== hashBytes(`${ran}\n${node.start}\n${node.parent ?? node.start}\n${node.role}`))
        problems.push(`The attempt key of step ${node.hash} is not that of its thread, parent and role.`)
    }
  }
  const cutOff = told.filter((row) => !recorded.has(row.key))
  for (const thread of threads.values()) {
    const mine = (row: Told) => row.thread === thread.id
    const open = cutOff.filter(mine).length
    const kills = eventsOf(thread, 'killed')
    if (open > kills) problems.push(`Thread ${thread.id} has ${open} attempts without a step, and ${kills} kills.`)
    const again = told.filter(mine).reduce((sum, row) => sum + row.times - 1, 0)
    const losses = eventsOf(thread, 'released', 'crashed', 'lease_expired')
    if (again > losses) problems.push(`Thread ${thread.id} ran ${again} attempts again, after ${losses} losses.`)
  }
  const repeated = told.reduce((sum, row) => sum + row.times - 1, 0)
  return { count: { rows: told.length, recorded: recorded.size, cutOff: cutOff.length, repeated }, problems }
}
