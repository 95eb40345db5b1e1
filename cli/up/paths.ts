import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the sources are, wherever the command was started. */
export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** The files of one `.cairn` folder. */
export function cairnPaths(dir: string) {
  const root = resolve(dir)
  return {
    root,
    postgres: join(root, 'postgres'),
    logs: join(root, 'logs'),
    key: join(root, 'key'),
    server: join(root, 'server.json'),
    lock: join(root, 'up.lock'),
  }
}
export type CairnPaths = ReturnType<typeof cairnPaths>
