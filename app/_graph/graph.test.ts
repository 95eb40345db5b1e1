import { describe, expect, it } from 'vitest'
import type { Descriptor } from '@/server/registry/views'
import { layoutGraph } from './layout-graph'
import { progressOf } from './progress'
import { pathThrough, toFlow } from './to-flow'

function edge(from: string, to: string, condition = 'FALLBACK', conditionDescription: string | null = null) {
  return { from, to, condition, conditionDescription }
}
const role = (description: string) => ({ description, schema: {} })

const reviewLoop: Descriptor = {
  description: 'write until the reviewer is content',
  roles: { writer: role('writes'), reviewer: role('reviews') },
  graph: {
    edges: [
      edge('__start__', 'writer'),
      edge('writer', 'writer', 'unfinished', 'there is more to write'),
      edge('writer', 'reviewer'),
      edge('reviewer', 'writer', 'rejected'),
      edge('reviewer', 'writer', 'too-long'),
      edge('reviewer', '__end__'),
    ],
  },
}

describe('layoutGraph', () => {
  const graph = layoutGraph(reviewLoop)
  const edgeOf = (from: string, to: string) => graph.edges.find((each) => each.from === from && each.to === to)

  it('places every role, start and end inside the picture, from top to bottom', () => {
    expect(graph.nodes.map((node) => node.id)).toEqual(['__start__', 'writer', 'reviewer', '__end__'])
    const tops = graph.nodes.map((node) => node.y)
    expect(tops).toEqual([...tops].sort((a, b) => a - b))
    for (const node of graph.nodes) {
      expect(node.x).toBeGreaterThanOrEqual(0)
      expect(node.x + node.width).toBeLessThanOrEqual(graph.width)
      expect(node.y + node.height).toBeLessThanOrEqual(graph.height)
    }
  })

  it('makes one edge of several conditions between the same roles, and calls the fallback "else"', () => {
    expect(graph.edges).toHaveLength(5)
    expect(edgeOf('reviewer', 'writer')?.label).toBe('rejected or too-long')
    expect(edgeOf('reviewer', '__end__')?.label).toBe('else')
  })

  it('writes nothing on the only way out of a role', () => {
    expect(edgeOf('__start__', 'writer')?.label).toBeNull()
  })

  it('draws a self-loop beside its role, not through it', () => {
    const loop = edgeOf('writer', 'writer')
    const writer = graph.nodes.find((node) => node.id === 'writer')
    const right = (writer?.x ?? 0) + (writer?.width ?? 0)
    expect(loop?.points.length).toBe(4)
    expect(loop?.points[0]?.x).toBe(right)
    for (const point of loop?.points ?? []) expect(point.x).toBeGreaterThanOrEqual(right)
    expect(loop?.labelAt.x).toBeGreaterThan(right)
    expect(loop?.labelAt.x).toBeLessThan(graph.width)
  })

  it('keeps the labels of a loop and of the way on apart', () => {
    const back = edgeOf('reviewer', 'writer')?.labelAt
    const on = edgeOf('writer', 'reviewer')?.labelAt
    expect(Math.hypot((back?.x ?? 0) - (on?.x ?? 0), (back?.y ?? 0) - (on?.y ?? 0))).toBeGreaterThan(20)
  })

  it('draws an edge to a role that has no description, also one named like a member of Object', () => {
    const odd = layoutGraph({ description: '', roles: {}, graph: { edges: [edge('__start__', 'constructor')] } })
    expect(odd.nodes.map((node) => [node.id, node.description])).toEqual([
      ['__start__', ''],
      ['constructor', ''],
      ['__end__', ''],
    ])
  })
})

describe('toFlow', () => {
  const graph = layoutGraph(reviewLoop)
  const flowOf = (...progress: Parameters<typeof progressOf>) => {
    const flow = toFlow(graph, progressOf(...progress))
    return {
      states: Object.fromEntries(flow.nodes.map((node) => [node.id, node.data.state])),
      visits: Object.fromEntries(flow.edges.map((each) => [each.id, each.data?.visits])),
    }
  }

  it('counts how often each edge was taken, loops too', () => {
    const { visits } = flowOf(['writer', 'writer', 'reviewer', 'writer', 'reviewer'], 'completed', 0)
    expect(visits).toEqual({
      '__start__ writer': 1,
      'writer writer': 1,
      'writer reviewer': 2,
      'reviewer writer': 1,
      'reviewer __end__': 1,
    })
  })

  it('marks the one role that can follow as active', () => {
    expect(flowOf([], 'running', null).states).toMatchObject({ __start__: 'done', writer: 'active', reviewer: 'idle' })
  })

  it('marks each role that can follow as possible when there are several', () => {
    expect(flowOf(['writer'], 'running', null).states).toMatchObject({ writer: 'possible', reviewer: 'possible' })
  })

  it('marks nothing as active while nothing runs', () => {
    expect(flowOf(['writer'], 'queued', null).states).toMatchObject({ writer: 'done', reviewer: 'idle' })
  })

  it('shows how the thread ended, and takes no edge to the end when it was cut off', () => {
    const killed = flowOf(['writer'], 'killed', 137)
    expect(killed.states.__end__).toBe('killed')
    expect(killed.visits['reviewer __end__']).toBe(0)
    expect(flowOf([], 'failed', 1).states).toMatchObject({ __end__: 'failed', writer: 'failed' })
  })

  it('shows the plain picture without progress', () => {
    expect(new Set(toFlow(graph, null).nodes.map((node) => node.data.state))).toEqual(new Set(['idle']))
  })
})

describe('pathThrough', () => {
  it('begins at the first point and ends at the last', () => {
    const path = pathThrough([
      { x: 0, y: 0 },
      { x: 5, y: 10 },
      { x: 10, y: 20 },
      { x: 0, y: 40 },
    ])
    expect(path.startsWith('M 0 0')).toBe(true)
    expect(path.endsWith('0 40')).toBe(true)
  })
  it('is a straight line between two points and nothing for fewer', () => {
    expect(
      pathThrough([
        { x: 0, y: 0 },
        { x: 5, y: 10 },
      ]),
    ).toBe('M 0 0 L 5 10')
    expect(pathThrough([{ x: 0, y: 0 }])).toBe('')
  })
})
