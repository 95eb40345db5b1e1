import type { Database } from '@/db/client'
import type { Fleet } from './fleet'
import type { Random } from './random'

/** What breaks at random: processes, and connections to the database. */
export class Trouble {
  backendsTerminated = 0

  constructor(
    private readonly db: Database,
    private readonly fleet: Fleet,
    private readonly random: Random,
  ) {}

  /** Makes one thing break; of a runner that freezes, resolves when it goes on. */
  async strike(): Promise<void> {
    const kind = this.random.next()
    if (kind < 0.5) await this.terminateBackends()
    else if (kind < 0.65) await this.fleet.kill()
    else if (kind < 0.77) await this.fleet.freeze()
    else if (kind < 0.85) await this.fleet.ask()
    else this.fleet.killWorker()
  }

  /** Some of the connections of runners and of those who give commands: in the middle of a statement, or of a transaction. */
  private async terminateBackends(): Promise<void> {
    const backends = await this.db.sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name in ('cairn-runner', 'cairn-web') order by pid`
    for (let n = this.random.between(1, 4); n > 0; n--) {
      const backend = this.random.pickAny(backends)
      if (backend === undefined) return
      await this.db.sql`select pg_terminate_backend(${backend.pid})`
      this.backendsTerminated += 1
    }
  }
}
