import { Socket } from 'node:net'
import { initHash } from '@/server/cas/hash'
import { lineChannel } from '../line-channel'
import type { FromWorker, ToWorker } from '../protocol'
import { disarm } from './disarm'
import { type LoadedBundle, loadBundle } from './load-bundle'
import { createRun, type Run } from './run'
import { toThrown } from './to-thrown'

/**
 * What runs in a worker before the bundle does. Everything here shares its process and its globals with hostile code, so
 * nothing here is trusted: the runner checks every message. It only has to serve an honest bundle well.
 */
const socket = new Socket({ fd: 3 })
// The process that asked for this work is gone: nobody can take its results.
socket.on('close', () => process.exit(0))
socket.on('error', () => process.exit(0))

const channel = lineChannel(socket, {
  maxLineBytes: 256 * 1024 * 1024,
  // Messages come from the trusted side, in the shape of `ToWorker`.
  onMessage: (message) => void receive(message as ToWorker),
  onFault: () => process.exit(1),
})
const send = (message: FromWorker) => channel.send(message)

const runs = new Map<string, Run>()
let bundle: LoadedBundle | undefined

async function receive(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'load':
      return load(message.source, `bundle:${message.hash}`, () => send({ type: 'loaded' }))
    case 'describe':
      return load(message.source, 'bundle', ({ descriptor }) =>
        send({ type: 'descriptor', value: descriptor === undefined ? null : JSON.parse(JSON.stringify(descriptor)) }),
      )
    case 'run': {
      if (bundle === undefined) return
      const run = createRun(message, bundle.run, send)
      runs.set(message.run, run)
      await run.finished
      runs.delete(message.run)
      send({ type: 'over', run: message.run })
      return
    }
    default:
      runs.get(message.run)?.receive(message)
  }
}

async function load(source: string, name: string, answer: (loaded: LoadedBundle) => void): Promise<void> {
  try {
    bundle = await loadBundle(source, name)
    answer(bundle)
  } catch (error) {
    send({ type: 'load-failed', error: toThrown(error) })
  }
}

await initHash()
disarm()
send({ type: 'ready' })
