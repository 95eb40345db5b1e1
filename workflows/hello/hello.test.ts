import { describe, expect, it } from 'vitest'
import { runToEnd, scriptedRuntime } from '@/sdk/testing'
import { descriptor, run } from './index'

const rolesOf = async (input: { name?: string; steps?: number } | null) =>
  (await runToEnd(run, { input })).steps.map(({ role }) => role)

describe('hello', () => {
  it('takes every edge of its graph', async () => {
    expect(await rolesOf({ steps: 0 })).toEqual(['greet', 'farewell'])
    expect(await rolesOf({ steps: 2 })).toEqual(['greet', 'stack', 'stack', 'farewell'])
    expect(descriptor.graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      '__start__ greet',
      'greet stack',
      'greet farewell',
      'stack stack',
      'stack farewell',
      'farewell __end__',
    ])
  })

  it('greets the world with three stones when nothing is given', async () => {
    const { texts, completion } = await runToEnd(run)
    expect(texts[0]).toBe('Hello, world! I will stack 3 stones.')
    expect(texts.at(-1)).toBe('The cairn is 3 stones high. Goodbye, world.')
    expect(completion).toEqual({ returnCode: 0, summary: 'Greeted world and stacked 3 stones.' })
  })

  it('ends the same when it goes on after any of its steps', async () => {
    const runtime = scriptedRuntime()
    const options = { input: { name: 'Ada', steps: 3 }, runtime }
    const whole = await runToEnd(run, options)
    for (let cut = 0; cut < whole.steps.length; cut++) {
      expect(await runToEnd(run, { ...options, steps: whole.steps.slice(0, cut) })).toEqual(whole)
    }
  })

  it('stops in the middle of a pause when it is aborted', async () => {
    const controller = new AbortController()
    const runtime = scriptedRuntime({ signal: controller.signal })
    const running = runToEnd(run, { input: { steps: 1, delayMs: 60_000 }, runtime })
    controller.abort(new Error('killed'))
    await expect(running).rejects.toThrow('killed')
  })

  it.each([{ steps: -1 }, { steps: 1.5 }, { steps: 10_001 }, { name: '' }, { delayMs: 60_001 }])(
    'refuses %j',
    async (input) => {
      await expect(runToEnd(run, { input })).rejects.toMatchObject({ name: 'InputError' })
    },
  )
})
