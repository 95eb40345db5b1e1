import type { Duplex } from 'node:stream'

// Taken once: in a worker, code that runs later may replace the globals.
const { parse, stringify } = JSON

/** What ends a channel: the other side broke the rules of framing. */
export type ChannelFault = { kind: 'line-too-long'; max: number } | { kind: 'not-json' }

/**
 * JSON messages, a line each, over a stream. What is sent within one turn of the event loop leaves in one write, after
 * all promise reactions of that turn: fifty answered threads cost one system call.
 */
export function lineChannel(
  stream: Duplex,
  options: {
    maxLineBytes: number
    onMessage(message: unknown, bytes: number): void
    onFault(fault: ChannelFault): void
  },
): { send(message: unknown): void } {
  let pieces: Buffer[] = []
  let held = 0
  let outgoing = ''

  stream.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, at)
      const line = held === 0 ? part : Buffer.concat([...pieces, part])
      pieces = []
      held = 0
      from = at + 1
      let message: unknown
      try {
        message = parse(line.toString('utf8'))
      } catch {
        options.onFault({ kind: 'not-json' })
        continue
      }
      options.onMessage(message, line.length)
    }
    if (from < chunk.length) {
      pieces.push(chunk.subarray(from))
      held += chunk.length - from
      if (held > options.maxLineBytes) options.onFault({ kind: 'line-too-long', max: options.maxLineBytes })
    }
  })

  return {
    send(message) {
      if (outgoing === '') {
        process.nextTick(() => {
          const text = outgoing
          outgoing = ''
          if (stream.writable) stream.write(text)
        })
      }
      outgoing += `${stringify(message)}\n`
    },
  }
}
