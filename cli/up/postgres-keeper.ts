import { spawn } from 'node:child_process'
import { join } from 'node:path'

/**
 * Waits for the end of its stdin, which is the end of us however we went, and then stops Postgres: politely first (it
 * lets the web server and the runner finish, which end by themselves too), fast after 15 s. A shell, because a server
 * written in C notices no lost parent and a second Node process would cost 40 MB for waiting.
 */
const SCRIPT = `
read -r _
pid=$(head -n 1 "$1" 2>/dev/null) || exit 0
kill -TERM "$pid" 2>/dev/null || exit 0
n=0
while [ "$n" -lt 15 ]; do
  sleep 1
  [ "$(head -n 1 "$1" 2>/dev/null)" = "$pid" ] || exit 0
  n=$((n + 1))
done
kill -INT "$pid"
`

/** Makes sure that an embedded server ends when this process is killed. `dismiss` when it was stopped in order. */
export function keepPostgres(dataFolder: string): { dismiss: () => void } {
  const keeper = spawn('/bin/sh', ['-c', SCRIPT, 'cairn-postgres-keeper', join(dataFolder, 'postmaster.pid')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  })
  keeper.stdin.on('error', () => undefined)
  keeper.unref()
  return { dismiss: () => void keeper.kill('SIGKILL') }
}
