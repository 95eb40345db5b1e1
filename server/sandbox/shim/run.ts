import type { ChildThread, ExecResult, Json, Recorded, RoleOutput, Runtime, WorkflowFn } from '@/sdk/types'
import { hashBytes } from '@/server/cas/hash'
import { contentNode } from '@/server/cas/nodes'
import type { Hash } from '@/server/kernel/ids'
import type { FromWorker, PutContent, ToWorker } from '../protocol'
import { MAX_PUTS } from '../put-bounds'
import { toThrown } from './to-thrown'
import { type AnyWait, waitArgs } from './wait-args'

type RunMessage = Extract<ToWorker, { type: 'run' }>
type ForRun = Exclude<ToWorker, { type: 'load' | 'describe' | 'run' }>
export type Run = { receive(message: ForRun): void; finished: Promise<void> }

/** Contents above this are sent before the step that will name them: nobody should hold them twice. */
const MAX_PUT_CHARACTERS = 256 * 1024

type Method = Extract<FromWorker, { type: 'call' }>['method']
type Waiter<T> = { resolve(value: T): void; reject(error: Error): void }

/** Drives one generator: a yield is sent, and nothing after it runs before the runner says that its node is durable. */
export function createRun(start: RunMessage, workflow: WorkflowFn, toRunner: (message: FromWorker) => void): Run {
  const { run } = start
  const abort = new AbortController()
  const calls = new Map<number, Waiter<Json>>()
  let head = start.head
  let appended: Waiter<Recorded> | undefined
  let lastCall = 0
  let suspended = false
  let suspend: () => void = () => undefined
  const suspension = new Promise<void>((resolve) => {
    suspend = resolve
  })

  /** Put and not sent yet: they go with the step that comes next, or ahead of any other message. */
  let puts: PutContent[] = []
  let putCharacters = 0

  /** Of a run that was suspended, nothing counts: its next run starts from the steps. */
  const send = (message: FromWorker) => {
    if (suspended) return
    if (puts.length > 0) sendPuts()
    toRunner(message)
  }

  function sendPuts(): void {
    toRunner({ type: 'put', run, contents: takePuts() })
  }

  function takePuts(): PutContent[] {
    const taken = puts
    puts = []
    putCharacters = 0
    return taken
  }

  function put(content: PutContent): void {
    if (suspended) return
    puts.push(content)
    putCharacters += content.text.length
    if (puts.length >= MAX_PUTS || putCharacters >= MAX_PUT_CHARACTERS) sendPuts()
  }

  function call<T>(method: Method, args: unknown): Promise<T> {
    // Not refused: code that catches the refusal would go on.
    if (suspended) return new Promise<never>(() => undefined)
    if (abort.signal.aborted) return Promise.reject(abort.signal.reason)
    const id = ++lastCall
    send({ type: 'call', run, id, method, args })
    // The runner answers a method with the type that `Runtime` gives it.
    return new Promise<Json>((resolve, reject) => calls.set(id, { resolve, reject })) as Promise<unknown> as Promise<T>
  }

  const runtime: Runtime = {
    cas: {
      async put(text, refs = []) {
        if (typeof text !== 'string') throw new TypeError('cas.put takes a string')
        // The runner hashes the text again and refuses refs that are no hashes.
        const { hash } = contentNode(text, refs as Hash[])
        put({ text, refs })
        return hash
      },
      get: (hash) => call<string | null>('cas.get', { hash: String(hash) }),
    },
    exec: (command, args, options = {}) =>
      call<ExecResult>('exec', {
        command,
        args,
        cwd: options.cwd ?? null,
        stdin: options.stdin ?? null,
        timeoutMs: options.timeoutMs ?? null,
      }),
    startThread: ({ workflow, prompt, input, maxRounds, tags, labels, priority }) =>
      call<ChildThread>('thread.start', { workflow, prompt, input, maxRounds, tags, labels, priority }),
    wait: async <T>(request: AnyWait) => call<T>('wait', waitArgs(request)),
    log(text, options = {}) {
      send({ type: 'log', run, level: options.level ?? 'info', tag: options.tag ?? null, text: String(text) })
    },
    signal: abort.signal,
    dryRun: start.dryRun,
    // With the thread, because threads of one start share their heads until they part.
    attemptKey: (role) => hashBytes(`${start.thread.threadId}\n${start.start}\n${head}\n${role}`),
  }

  async function drive(): Promise<void> {
    const generator = workflow(start.thread, runtime)
    let recorded: Recorded | undefined
    for (;;) {
      const next = await generator.next(recorded)
      if (abort.signal.aborted) return
      if (next.done) return send({ type: 'done', run, completion: plain(next.value) })
      const output = plain(next.value as RoleOutput)
      send({ type: 'append', run, contents: takePuts(), output })
      recorded = await new Promise<Recorded>((resolve, reject) => {
        appended = { resolve, reject }
      })
    }
  }

  const driven = drive().catch((error: unknown) => {
    if (!abort.signal.aborted) send({ type: 'failed', run, error: toThrown(error) })
  })

  return {
    finished: Promise.race([driven, suspension]),
    receive(message) {
      switch (message.type) {
        case 'appended':
          head = message.head
          return appended?.resolve({ timestamp: message.timestamp })
        case 'reply':
          calls.get(message.id)?.resolve(message.value)
          return void calls.delete(message.id)
        case 'refused': {
          const error = new Error(message.error.message)
          error.name = message.error.name
          calls.get(message.id)?.reject(error)
          return void calls.delete(message.id)
        }
        case 'abort': {
          const reason = new DOMException(message.reason, 'AbortError')
          abort.abort(reason)
          for (const waiter of calls.values()) waiter.reject(reason)
          calls.clear()
          appended?.reject(reason)
          return
        }
        case 'suspended':
          suspended = true
          calls.clear()
          appended = undefined
          suspend()
          abort.abort(new DOMException('The run ended: its thread waits or is paused.', 'Suspended'))
      }
    },
  }
}

/** A copy that JSON can say exactly: what JSON would silently change (NaN to null, a function to nothing) is an error. */
function plain(value: unknown): Json {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    const kind = typeof inner
    if (kind === 'number' && !Number.isFinite(inner))
      throw new TypeError(`${key || 'the value'} is ${String(inner)}, which JSON cannot hold`)
    if (kind === 'bigint' || kind === 'function' || kind === 'symbol')
      throw new TypeError(`${key || 'the value'} is a ${kind}, which JSON cannot hold`)
    return inner
  })
  return text === undefined ? null : (JSON.parse(text) as Json)
}
