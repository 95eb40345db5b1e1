import { openDatabase } from '@/db/client'
import { RUNNER_DEFAULTS, Runner } from '../runner'

/** A runner in this process, on connections of its own. */
export async function startLocalRunner(
  url: string,
  options: { leaseMs?: number; capacity?: number; labels?: string[] } = {},
): Promise<{ runner: Runner; stop(): Promise<void> }> {
  const db = openDatabase(url, { purpose: 'runner' })
  const runner = new Runner(db, { ...RUNNER_DEFAULTS, pollMs: 200, version: 'test', ...options })
  await runner.start()
  return {
    runner,
    async stop() {
      await runner.stop()
      await db.close()
    },
  }
}
