import { z } from 'zod'
import { openDatabase } from '@/db/client'
import packageJson from '@/package.json' with { type: 'json' }
import { nameSchema } from '@/server/kernel/ids'
import { log } from '@/server/kernel/log'
import { RUNNER_DEFAULTS, Runner } from './runner'

/** The words of a list that is parted by commas. */
function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

const envSchema = z.object({
  DATABASE_URL: z.string().min(1, 'DATABASE_URL says which Postgres to work for'),
  CAIRN_CAPACITY: z.coerce.number().int().min(1).max(10_000).default(RUNNER_DEFAULTS.capacity),
  CAIRN_LEASE_MS: z.coerce.number().int().min(500).max(600_000).default(RUNNER_DEFAULTS.leaseMs),
  CAIRN_POLL_MS: z.coerce.number().int().min(50).max(60_000).default(RUNNER_DEFAULTS.pollMs),
  CAIRN_NOTIFICATIONS: z.enum(['on', 'off']).default('on'),
  /** Parted by commas: what this machine is good for. Threads that ask for labels come only where all of them are. */
  CAIRN_LABELS: z.string().default('').transform(words).pipe(z.array(nameSchema)),
  /** Parted by commas, like exec:git: what this runner may give to bundles that were granted it. Without it: everything. */
  CAIRN_PERMISSIONS: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? null : words(text))),
})

/** A runner that does not come to its end within this after SIGTERM leaves the rest to the leases. */
const DRAIN_MS = 10_000

async function main(): Promise<void> {
  const env = envSchema.parse(process.env)
  // Workers and commands must not find it; they get environments of their own, this is the second lock.
  delete process.env.DATABASE_URL
  const db = openDatabase(env.DATABASE_URL, { purpose: 'runner' })
  const runner = new Runner(db, {
    capacity: env.CAIRN_CAPACITY,
    leaseMs: env.CAIRN_LEASE_MS,
    pollMs: env.CAIRN_POLL_MS,
    notifications: env.CAIRN_NOTIFICATIONS === 'on',
    version: packageJson.version,
    labels: env.CAIRN_LABELS,
    permissions: env.CAIRN_PERMISSIONS,
  })
  let stopping = false
  const stop = (why: string) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => {
      log.warn({ drainMs: DRAIN_MS }, 'not drained in time: leases run out by themselves')
      process.exit(1)
    }, DRAIN_MS).unref()
    runner
      .stop()
      .then(() => db.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  // By default it opens the debugger, to anybody on this machine who may send it.
  process.on('SIGUSR1', () => log.warn('SIGUSR1 is ignored: a runner has no debugger'))
  // Started with an IPC channel by a process that is gone now.
  process.on('disconnect', () => stop('the parent process is gone'))
  await runner.start()
  process.send?.({ type: 'ready', runner: runner.id })
}

main().catch((error: unknown) => {
  log.fatal({ err: error }, 'the runner could not start')
  process.exit(1)
})
