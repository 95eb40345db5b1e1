import { retryable } from '@/db/errors'
import type { Json } from '@/sdk/types'
import { parseNode } from '@/server/cas/parse-node'
import { AppError, isAppError, LeaseLost, messageOf, Suspended } from '@/server/kernel/errors'
import { hashSchema } from '@/server/kernel/ids'
import { log } from '@/server/kernel/log'
import type { Grants } from '@/server/registry/views'
import { callArgs } from '@/server/sandbox/protocol'
import type { Limits } from '@/server/threads/limits'
import { commandSet } from './exec'
import type { PendingContents } from './pending-contents'
import { whatIsWrong } from './role-output'
import type { ThreadLog } from './thread-log'
import type { RunMessage } from './worker-pool'

export type CallMessage = Extract<RunMessage, { type: 'call' }>
export type CallAnswer =
  | { type: 'reply'; id: number; value: Json }
  | { type: 'refused'; id: number; error: { name: string; message: string } }

/** Requests of one run that may be open at once. */
const MAX_OPEN_CALLS = 1_000

/** Answers what a bundle asks of its runner beside appending: commands, contents, waits and child threads. */
export class BundleCalls {
  private open = 0
  private readonly commands = commandSet()

  constructor(
    private readonly run: {
      thread: string
      grants: Grants
      limits: Limits
      dryRun: boolean
      signal: AbortSignal
      contents: PendingContents
      log: ThreadLog
      /** Runs work after the messages that came before. */
      inOrder<T>(work: () => Promise<T>): Promise<T>
      wait(args: unknown): Promise<Json>
      startChild(args: unknown): Promise<Json>
      /** The lease is lost, or the database away: not what the bundle is to hear. */
      onTrouble(error: unknown): void
    },
  ) {}

  /** Null: the run is over and hears nothing. Never rejects. */
  async answer({ id, method, args }: CallMessage): Promise<CallAnswer | null> {
    this.open += 1
    try {
      if (this.open > MAX_OPEN_CALLS) throw tooMany()
      return { type: 'reply', id, value: await this.valueOf(method, args) }
    } catch (error) {
      if (error instanceof Suspended) return null
      if (error instanceof LeaseLost || retryable(error)) {
        this.run.onTrouble(error)
        return null
      }
      if (isAppError(error)) return { type: 'refused', id, error: { name: error.code, message: error.message } }
      log.error({ err: error, thread: this.run.thread, method }, 'a request of a bundle failed')
      return { type: 'refused', id, error: { name: 'INTERNAL', message: messageOf(error) } }
    } finally {
      this.open -= 1
    }
  }

  private valueOf(method: CallMessage['method'], args: unknown): Promise<Json> {
    switch (method) {
      case 'exec':
        return this.exec(args)
      case 'cas.get':
        // What was put just before can be read.
        return this.run.inOrder(() => this.read(args))
      case 'thread.start':
        return this.run.startChild(args)
      case 'wait':
        return this.run.inOrder(() => this.run.wait(args))
    }
  }

  /** After `signal` aborted: resolves when nothing that the run started on this machine runs any more. */
  commandsEnded(): Promise<void> {
    return this.commands.ended()
  }

  private async exec(args: unknown): Promise<Json> {
    const request = callArgs.exec.safeParse(args)
    if (!request.success) throw new AppError('BAD_INPUT', `exec: ${whatIsWrong(request.error)}`, {})
    const { grants, limits, dryRun, signal } = this.run
    const result = await this.commands.run(request.data, grants, {
      signal,
      maxOutputBytes: limits.commandOutputBytes,
      graceMs: limits.abortGraceSeconds * 1000,
      dryRun,
    })
    this.run.log.add(
      'debug',
      'exec',
      `${request.data.command} ended with ${result.exitCode} after ${result.durationMs} ms`,
    )
    return result
  }

  private async read(args: unknown): Promise<Json> {
    const hash = hashSchema.safeParse(callArgs['cas.get'].safeParse(args).data?.hash)
    if (!hash.success) {
      throw new AppError('BAD_INPUT', 'cas.get takes a hash: 13 characters of Crockford Base32.', { field: 'hash' })
    }
    const body = await this.run.contents.body(hash.data)
    if (body === undefined) return null
    const node = parseNode(body, hash.data)
    return node.type === 'content' ? node.payload : null
  }
}

function tooMany(): AppError {
  const message = `More than ${MAX_OPEN_CALLS} requests (openCalls) are open: await some first.`
  return new AppError('LIMIT_EXCEEDED', message, { limit: 'openCalls', max: MAX_OPEN_CALLS })
}
