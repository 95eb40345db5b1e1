import { watch } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './paths'

/** What the runner is made from. */
const FOLDERS = ['server', 'db', 'sdk']
const SETTLE_MS = 200

/** Calls `onChange` once for each burst of changes to the runner's sources. */
export function watchSources(onChange: () => void): { close: () => void } {
  let timer: NodeJS.Timeout | undefined
  const watchers = FOLDERS.map((folder) =>
    watch(join(REPOSITORY, folder), { recursive: true }, (_event, file) => {
      if (!file || !/\.(ts|mjs|sql)$/.test(file) || file.includes('.test.')) return
      clearTimeout(timer)
      timer = setTimeout(onChange, SETTLE_MS)
    }),
  )
  return {
    close: () => {
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}
