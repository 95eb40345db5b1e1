import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { birthOf } from '@/db/embedded/process-table'
import { REPOSITORY } from '../paths'

/** Whether a process runs; one that ended and was not waited for does not. */
export function isRunning(pid: number): boolean {
  return birthOf(pid) !== undefined
}

/** URL of a module of ours, for source text that another process runs. */
export function moduleUrl(path: string): string {
  return pathToFileURL(join(REPOSITORY, path)).href
}

/** Runs TypeScript module text in a Node process of its own; `line` resolves with each line it prints, in turn. */
export function runSource(source: string): { process: ChildProcess; line: () => Promise<string> } {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const next = waiting.shift()
      if (next) next(part)
      else lines.push(part)
    }
  })
  return {
    process: child,
    line: () => {
      const line = lines.shift()
      return line === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(line)
    },
  }
}
