import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { log } from '@/server/kernel/log'
import { COMMAND_VARIABLE } from './process-table'

/** Tells the commands of this process from all others; the first half of every cookie. */
const OWN = randomBytes(12).toString('hex')

/**
 * Waits until this process is gone, however it went: then the pipe closes. Then kills whatever carries its cookie, and
 * looks again until nothing does, because something may have been forked meanwhile.
 */
const SCRIPT = `trap '' HUP INT TERM
while read -r _; do :; done
round=0
while [ $round -lt 50 ]; do
  found=
  for file in /proc/[0-9]*/environ; do
    if grep -aqs "$1" "$file"; then
      pid=\${file#/proc/}
      kill -KILL "\${pid%/environ}" 2>/dev/null && found=yes
    fi
  done
  [ -z "$found" ] && exit 0
  round=$((round + 1))
  sleep 0.1
done`

let guard: ChildProcess | undefined

/** What the COMMAND_VARIABLE of the commands of one set begins with, and no other. */
export function newCookie(): string {
  return `${OWN}${randomBytes(12).toString('hex')}`
}

/**
 * Has a process stand by, one for this runner, that ends its commands when the runner itself was killed and cannot. Linux
 * only: elsewhere commands of a killed runner end by themselves.
 */
export function guardCommands(): void {
  if (process.platform !== 'linux' || guard !== undefined) return
  // In a group of its own: what ends this process's group must not end the one that cleans up after it.
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', NODE_ENV: process.env.NODE_ENV }
  const args = ['-c', SCRIPT, 'cairn-command-guard', `${COMMAND_VARIABLE}=${OWN}`]
  const child = spawn('sh', args, { env, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard = child
  const gone = (why: unknown) => {
    if (guard === child) guard = undefined
    log.warn(
      { why },
      'nobody stands by to end the commands of this runner if it is killed; the next command starts one',
    )
  }
  child.once('error', gone)
  child.once('exit', gone)
  child.stdin.on('error', () => undefined) // Its exit tells.
  // It must not keep this process from ending: that is what it waits for.
  child.unref()
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
}
