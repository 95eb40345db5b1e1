import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { log } from '@/server/kernel/log'

const run = promisify(execFile)

/** What stands between a worker and the machine, besides the permission model of Node. Runners report these names. */
export type Layer = 'own-user' | 'pid-namespace' | 'network-namespace' | 'dies-with-runner'

/** How to start a worker: words before the command line of Node, made anew for each worker. */
export type Launcher = { layers: readonly Layer[]; prefix(): string[] }

/** The range that systemd keeps for users that exist only while a process runs. */
const USERS = { from: 61_184, to: 65_519 }
const TRY_MS = 10_000

/** A user of its own a worker, with no group, no capability and no way to get one. */
function asNobodyElse(): string[] {
  const user = randomInt(USERS.from, USERS.to + 1)
  const nothing = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
  return ['setpriv', '--pdeathsig', 'KILL', `--reuid=${user}`, `--regid=${user}`, ...nothing]
}

const MORTAL = ['setpriv', '--pdeathsig', 'KILL']
const APART = ['unshare', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child']
const NAMESPACES = ['pid-namespace', 'network-namespace', 'dies-with-runner'] as const

const BARE: Launcher = { layers: [], prefix: () => [] }

/** Best first. `setpriv` and `unshare` come with every Linux (util-linux); whether the kernel lets us is found by trying. */
function candidates(): Launcher[] {
  if (process.platform !== 'linux') return [BARE]
  if (process.geteuid?.() === 0) {
    return [
      { layers: ['own-user', ...NAMESPACES], prefix: () => [...MORTAL, ...APART, ...asNobodyElse()] },
      { layers: ['own-user', 'dies-with-runner'], prefix: asNobodyElse },
      BARE,
    ]
  }
  return [
    { layers: NAMESPACES, prefix: () => [...MORTAL, ...APART, '--user', '--map-current-user'] },
    { layers: ['dies-with-runner'], prefix: () => MORTAL },
    BARE,
  ]
}

let chosen: Promise<Launcher> | undefined

/** The best launcher that works on this machine, found once a process. */
export function launcher(): Promise<Launcher> {
  chosen ??= firstThatWorks()
  return chosen
}

async function firstThatWorks(): Promise<Launcher> {
  for (const candidate of candidates()) {
    const [command = process.execPath, ...args] = [...candidate.prefix(), process.execPath, '--version']
    try {
      await run(command, args, { cwd: '/', timeout: TRY_MS, killSignal: 'SIGKILL' })
      return candidate
    } catch (error) {
      log.debug({ err: error, layers: candidate.layers }, 'workers cannot be started with these layers')
    }
  }
  return BARE
}
