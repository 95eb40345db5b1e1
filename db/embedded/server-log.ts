import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs'

const MAX_BYTES = 10 * 1024 * 1024
const TAIL_BYTES = 16 * 1024

/** Opens the server's log for appending; a large one is kept once as `….1`. `since` marks where this start begins. */
export function openLog(file: string): { fd: number; since: number } {
  if (existsSync(file) && statSync(file).size > MAX_BYTES) renameSync(file, `${file}.1`)
  const fd = openSync(file, 'a', 0o600)
  return { fd, since: statSync(file).size }
}

/** What was written after `since`, at most the last 16 KB. */
export function readLog(file: string, since: number): string {
  const fd = openSync(file, 'r')
  try {
    const end = statSync(file).size
    const start = Math.max(since, end - TAIL_BYTES)
    const buffer = Buffer.alloc(Math.max(0, end - start))
    readSync(fd, buffer, 0, buffer.length, start)
    return buffer.toString('utf8')
  } finally {
    closeSync(fd)
  }
}

export function lastLines(text: string, count: number): string {
  return text.trim().split('\n').slice(-count).join('\n')
}
