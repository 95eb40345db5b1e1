import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Merged, mergeRecords } from './merge-records'
import { BEGINNING, type Position } from './position'

type Node = { height: number; isEnd: boolean; name: string }
type Placed = { height: number; at: number; name: string }
type Thread = { nodes: Node[]; events: Placed[]; logs: Placed[] }

/** What happens to a thread, in order: each event and line gets the height that the chain has then, and a later time. */
const thread = fc.array(fc.constantFrom('node', 'event', 'log'), { maxLength: 60 }).map((kinds): Thread => {
  const made: Thread = { nodes: [], events: [], logs: [] }
  kinds.forEach((kind, at) => {
    const height = made.nodes.length
    if (kind === 'node') made.nodes.push({ height: height + 1, isEnd: false, name: `n${height + 1}` })
    else if (kind === 'event') made.events.push({ height, at, name: `e${made.events.length + 1}` })
    else made.logs.push({ height, at, name: `l${made.logs.length + 1}` })
  })
  return made
})

/** What a reader gets that sees the thread only up to `seen` and brings `limit` rows of each sequence. */
function read(made: Thread, from: Position, limit: number, seen?: Position): Merged<Node, Placed, Placed>[] {
  const stretch = <T>(list: T[], after: number, upTo?: number) => list.slice(after, upTo).slice(0, limit)
  const sequences = {
    nodes: stretch(made.nodes, from.height, seen?.height),
    events: stretch(made.events, from.event, seen?.event),
    logs: stretch(made.logs, from.log, seen?.log),
  }
  return mergeRecords(sequences, from, limit)
}

const names = (merged: Merged<Node, Placed, Placed>[]) => merged.map((entry) => entry.value.name)

it('any split into pages gives the same sequence as one read', () => {
  fc.assert(
    fc.property(thread, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (made, sizes) => {
      const whole = read(made, BEGINNING, 1_000)
      const paged: string[] = []
      let from = BEGINNING
      for (;;) {
        const page = read(made, from, sizes.next().value ?? 1)
        const last = page.at(-1)
        if (last === undefined) break
        paged.push(...names(page))
        from = last.position
      }
      expect(paged).toEqual(names(whole))
      expect(paged).toHaveLength(made.nodes.length + made.events.length + made.logs.length)
    }),
  )
})

it('a reader that follows a growing thread sees what a later reader sees, in the same order', () => {
  const history = fc.tuple(fc.array(fc.constantFrom('node', 'event', 'log'), { maxLength: 60 }), fc.array(fc.nat(60)))
  fc.assert(
    fc.property(history, ([kinds, looks]) => {
      const grown: Thread = { nodes: [], events: [], logs: [] }
      const followed: string[] = []
      let from = BEGINNING
      const look = () => {
        const news = read(grown, from, 1_000)
        followed.push(...names(news))
        from = news.at(-1)?.position ?? from
      }
      kinds.forEach((kind, at) => {
        const height = grown.nodes.length
        if (kind === 'node') grown.nodes.push({ height: height + 1, isEnd: false, name: `n${height + 1}` })
        else if (kind === 'event') grown.events.push({ height, at, name: `e${grown.events.length + 1}` })
        else grown.logs.push({ height, at, name: `l${grown.logs.length + 1}` })
        if (looks.includes(at)) look()
      })
      look()
      expect(followed).toEqual(names(read(grown, BEGINNING, 1_000)))
    }),
  )
})

it('the end of a thread comes last, whatever its height and the clocks say', () => {
  const nodes = [{ height: 1, isEnd: true, name: 'end' }]
  const events = [{ height: 1, at: 9, name: 'finished' }]
  const logs = [{ height: 1, at: 8, name: 'late' }]
  expect(names(mergeRecords({ nodes, events, logs }, BEGINNING, 10))).toEqual(['late', 'finished', 'end'])
})
