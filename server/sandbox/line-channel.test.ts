import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ChannelFault, lineChannel } from './line-channel'

function receiver(maxLineBytes = 1_000_000) {
  const stream = new PassThrough()
  const messages: unknown[] = []
  const faults: ChannelFault[] = []
  lineChannel(stream, { maxLineBytes, onMessage: (m) => messages.push(m), onFault: (f) => faults.push(f) })
  return { stream, messages, faults }
}

describe('a channel of JSON lines', () => {
  test('messages arrive whole and in order however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.json({ maxDepth: 2 }), { maxLength: 8 }),
        fc.array(fc.nat(40), { minLength: 1, maxLength: 40 }),
        (texts, cuts) => {
          const { stream, messages, faults } = receiver()
          const sent = texts.map((text) => JSON.parse(text))
          const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(''))
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = 1 + (cuts[i % cuts.length] ?? 0)
            stream.emit('data', bytes.subarray(at, at + size))
            at += size
          }
          expect(messages).toEqual(sent)
          expect(faults).toEqual([])
        },
      ),
    )
  })

  test('a line that is no JSON is a fault, and the next one still arrives', () => {
    const { stream, messages, faults } = receiver()
    stream.emit('data', Buffer.from('garbage\n{"a":1}\n'))
    expect(faults).toEqual([{ kind: 'not-json' }])
    expect(messages).toEqual([{ a: 1 }])
  })

  test('a line that does not end is a fault once it is longer than the limit', () => {
    const { stream, faults } = receiver(100)
    stream.emit('data', Buffer.alloc(64, 'x'))
    expect(faults).toEqual([])
    stream.emit('data', Buffer.alloc(64, 'x'))
    expect(faults).toEqual([{ kind: 'line-too-long', max: 100 }])
  })

  test('what is sent in one turn, also by promise reactions, leaves in one write', async () => {
    const stream = new PassThrough()
    const writes: string[] = []
    stream.write = (chunk: unknown) => writes.push(String(chunk)) > 0
    const channel = lineChannel(stream, { maxLineBytes: 100, onMessage: () => undefined, onFault: () => undefined })
    channel.send(1)
    void Promise.resolve().then(() => channel.send(2))
    await new Promise((resolve) => setImmediate(resolve))
    expect(writes).toEqual(['1\n2\n'])
  })
})
