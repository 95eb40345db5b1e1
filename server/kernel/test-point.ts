import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

type Handler = () => void | Promise<void>

const handlers = new Map<string, Handler>()
/** Set for processes that a test starts, and nowhere else. */
const folder = process.env.CAIRN_TEST_POINTS

/**
 * A named place where a test can stop this process, or make it fail, at exactly that moment. Does nothing otherwise.
 *
 * In the test's own process: `onTestPoint(name, handler)`. In a process started with `CAIRN_TEST_POINTS=<folder>`: a file
 * `<folder>/<name>` (`:` written as `.`) that says `wait` holds it there until the file is removed, `throw` makes it throw.
 * `<name>.reached` appears when it gets there.
 */
export async function testPoint(name: string): Promise<void> {
  if (handlers.size > 0) await handlers.get(name)?.()
  if (folder !== undefined) await obey(join(folder, fileNameOf(name)))
}

/** Calls `handler` each time this process reaches the point, until the function that comes back is called. */
export function onTestPoint(name: string, handler: Handler): () => void {
  handlers.set(name, handler)
  return () => handlers.delete(name)
}

export function fileNameOf(name: string): string {
  return name.replaceAll(':', '.')
}

async function obey(file: string): Promise<void> {
  if (!existsSync(file)) return
  const order = readFileSync(file, 'utf8').trim()
  writeFileSync(`${file}.reached`, String(process.pid))
  if (order === 'throw') throw new Error(`Made to fail at ${file}`)
  while (existsSync(file)) await pause(5)
}
