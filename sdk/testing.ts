/** For the tests of a workflow: a runtime in memory, and a run to the end. `import { … } from 'cairn/sdk/testing'`. */
import { createHash } from 'node:crypto'
import type {
  ChildThread,
  ExecOptions,
  ExecResult,
  InputAnswer,
  Json,
  RoleStep,
  Runtime,
  StartThreadOptions,
  ThreadsAnswer,
  WaitForInput,
  WaitForThreads,
  WaitForTime,
  WorkflowCompletion,
  WorkflowFn,
} from './types'

/** What a person, a clock or a child answers in a test: at once, as when the role runs again after its wait. */
export type WaitScript = {
  input?: (request: WaitForInput) => Promise<InputAnswer>
  until?: (request: WaitForTime) => Promise<void>
  threads?: (request: WaitForThreads) => Promise<ThreadsAnswer>
}

export type ScriptedRuntime = Runtime & {
  /** Content nodes that were put, by hash. */
  contents: Map<string, { text: string; refs: string[] }>
  logs: { text: string; level: string; tag: string | null }[]
  /** Commands that ran, as they were asked for. */
  commands: { command: string; args: string[] }[]
  /** Children that were started, as they were asked for. */
  children: StartThreadOptions[]
  waits: (WaitForInput | WaitForTime | WaitForThreads)[]
}

export type RuntimeScript = {
  /** What `runtime.exec` answers. Without it every command is refused, as one that was not granted. */
  exec?: (command: string, args: string[], options: ExecOptions) => Promise<ExecResult>
  /** What `runtime.startThread` answers. Without it there is no workflow to start. */
  startThread?: (options: StartThreadOptions) => Promise<ChildThread>
  /** What `runtime.wait` answers, by kind. A time is reached at once without it; another kind without a script is an error. */
  wait?: WaitScript
  signal?: AbortSignal
  dryRun?: boolean
}

/** Hashes have the platform's form but are not its hashes: equal text and refs give equal hashes, and that is all. */
export function scriptedRuntime(script: RuntimeScript = {}): ScriptedRuntime {
  const { exec, startThread, signal, dryRun = false } = script
  const contents: ScriptedRuntime['contents'] = new Map()
  const logs: ScriptedRuntime['logs'] = []
  const commands: ScriptedRuntime['commands'] = []
  const children: ScriptedRuntime['children'] = []
  const waits: ScriptedRuntime['waits'] = []

  function wait(request: WaitForInput): Promise<InputAnswer>
  function wait(request: WaitForTime): Promise<void>
  function wait(request: WaitForThreads): Promise<ThreadsAnswer>
  async function wait(request: WaitForInput | WaitForTime | WaitForThreads): Promise<unknown> {
    waits.push(request)
    if ('until' in request) {
      await script.wait?.until?.(request)
      return undefined
    }
    const answer = 'input' in request ? script.wait?.input?.(request) : script.wait?.threads?.(request)
    if (answer !== undefined) return answer
    throw new Error(
      `The test has no script for a wait for ${'input' in request ? 'an input' : 'threads'}: give scriptedRuntime a wait.`,
    )
  }

  return {
    contents,
    logs,
    commands,
    children,
    waits,
    cas: {
      async put(text, refs = []) {
        for (const ref of refs) if (!contents.has(ref)) throw new Error(`There is no content ${ref} to refer to.`)
        const hash = fakeHash(JSON.stringify([text, refs]))
        contents.set(hash, { text, refs })
        return hash
      },
      get: async (hash) => contents.get(hash)?.text ?? null,
    },
    async exec(command, args, options = {}) {
      commands.push({ command, args })
      if (exec) return exec(command, args, options)
      throw Object.assign(new Error(`${command} is not granted to this workflow.`), { name: 'NOT_GRANTED' })
    },
    async startThread(options) {
      children.push(options)
      if (startThread) return startThread(options)
      throw Object.assign(new Error(`There is no workflow ${options.workflow}.`), { name: 'NOT_FOUND' })
    },
    wait,
    log: (text, { tag, level = 'info' } = {}) => void logs.push({ text, level, tag: tag ?? null }),
    signal: signal ?? new AbortController().signal,
    dryRun,
    attemptKey: (role) => fakeHash(role),
  }
}

export type FinishedRun = {
  steps: RoleStep[]
  /** Text of each step, by position. */
  texts: string[]
  completion: WorkflowCompletion
}

export type RunOptions = {
  prompt?: string
  input?: Json
  /** Steps that exist already: the run goes on after them. */
  steps?: RoleStep[]
  runtime?: ScriptedRuntime
  /** Stops after this many new steps, as a crash would: then `completion` is code 255. */
  maxSteps?: number
}

/** Runs a workflow the way the platform does: each step is recorded, and dated, before the next begins. */
export async function runToEnd(workflow: WorkflowFn, options: RunOptions = {}): Promise<FinishedRun> {
  const { prompt = '', input = null, runtime = scriptedRuntime(), maxSteps = Number.POSITIVE_INFINITY } = options
  const steps = [...(options.steps ?? [])]
  const thread = {
    threadId: '01J00000000000000000000000',
    depth: 0,
    bundleHash: '0000000000000',
    start: { content: prompt, input, timestamp: 1_000, parentState: null },
    steps: [...steps],
  }
  const generator = workflow(thread, runtime)
  const textOf = ({ contentHash }: RoleStep) => runtime.contents.get(contentHash)?.text ?? ''
  let next = await generator.next()
  for (let count = 1; !next.done; count++) {
    const stored = runtime.contents.get(next.value.contentHash)
    if (!stored) throw new Error(`The step of "${next.value.role}" names a content that was not put.`)
    if (JSON.stringify(stored.refs) !== JSON.stringify(next.value.refs)) {
      throw new Error(`The refs of the step of "${next.value.role}" differ from those of its content.`)
    }
    const step = { ...next.value, timestamp: 1_000 + steps.length + 1 }
    steps.push(step)
    if (count >= maxSteps) {
      const completion = { returnCode: 255, summary: 'Stopped by the test.' }
      return { steps, texts: steps.map(textOf), completion }
    }
    next = await generator.next({ timestamp: step.timestamp })
  }
  return { steps, texts: steps.map(textOf), completion: next.value }
}

function fakeHash(text: string): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  let value = createHash('sha256').update(text).digest().readBigUInt64BE()
  let hash = ''
  for (let place = 0; place < 13; place++, value >>= 5n) hash = digits.charAt(Number(value & 31n)) + hash
  return hash
}
