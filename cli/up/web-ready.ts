import { setTimeout as delay } from 'node:timers/promises'
import { INSTANCE_HEADER } from '@/server/kernel/env'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import type { Child } from './child'

const WEB_READY_MS = 60_000

/**
 * Resolves when `web` answers at `url`, and not when another server does: with the port taken meanwhile, ours ends and
 * the other one may be a Cairn that is ready. Throws when `web` ended by itself (a conflict, when for its port) or is slow.
 */
export async function waitForWeb(
  { url, instance }: { url: string; instance: string },
  web: Child,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + WEB_READY_MS
  let last = 'no answer'
  while (Date.now() < deadline) {
    signal.throwIfAborted()
    if (web.failures() > 0) break
    try {
      const answer = await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(10_000) })
      if (answer.ok && answer.headers.get(INSTANCE_HEADER) === instance) return
      last = answer.ok
        ? 'another server answers there, or one that was built from older sources'
        : `HTTP ${answer.status}`
    } catch (error) {
      last = error instanceof Error ? error.message : String(error)
    }
    await delay(50, undefined, { signal })
  }
  const output = web.recentOutput().split('\n').slice(-20).join('\n')
  if (output.includes('EADDRINUSE')) {
    throw new CliError(
      EXIT_CODES.conflict,
      `Another program took the port of ${url} while Cairn was starting. Start again, or name another with --port.`,
    )
  }
  throw new CliError(
    EXIT_CODES.failed,
    `The web server at ${url} did not become ready (${last}). What it printed last:\n\n${output || '(nothing)'}`,
  )
}
