import type { WaitForInput, WaitForThreads, WaitForTime } from '@/sdk/types'
import type { Wait } from '../protocol'

export type AnyWait = WaitForInput | WaitForTime | WaitForThreads

/** What the runner is told of a wait: without what its kind lacks, times as milliseconds. Not branded: the runner checks it. */
export type WaitArgs = { kind: Wait['kind'] } & { [K in Exclude<keyof Wait, 'kind'>]?: unknown }

/** Throws a TypeError that names what a request for a wait lacks, so that the author sees their own line in the stack. */
export function waitArgs(request: AnyWait): WaitArgs {
  if ('input' in request) {
    const { input, prompt, name, subject, answerers } = request
    const timeoutMs = timeoutOf(request.timeoutSeconds)
    return {
      kind: 'input',
      name: name ?? 'input',
      prompt,
      schema: input,
      subject: subject ?? null,
      answerers: answerers ?? null,
      timeoutMs,
    }
  }
  if ('until' in request) return { kind: 'until', untilMs: timeOf(request.until) }
  const targets = 'threads' in request ? request.threads : [request.thread]
  return {
    kind: 'threads',
    targets,
    mode: request.mode ?? 'all',
    timeoutMs: timeoutOf(request.timeoutSeconds),
  }
}

function timeOf(until: Date | number): number {
  const ms = Math.ceil(Number(until))
  if (Number.isFinite(ms)) return ms
  throw new TypeError('wait({ until }) takes a valid Date, or milliseconds since the epoch')
}

function timeoutOf(seconds: number | undefined): number | null {
  if (seconds === undefined) return null
  if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds * 1000)
  throw new TypeError('timeoutSeconds is a number of seconds, 0 or more')
}
