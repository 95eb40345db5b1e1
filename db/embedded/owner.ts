import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { birthOf } from './process-table'

const FILE = 'cairn.owner'
const ownerSchema = z.object({ pid: z.number().int(), birth: z.string() })

/** Makes this process the one that stops the server; the last of several callers wins. */
export function takeOwnership(dataFolder: string): void {
  const draft = join(dataFolder, `${FILE}.${process.pid}`)
  writeFileSync(draft, JSON.stringify({ pid: process.pid, birth: birthOf(process.pid) ?? '' }), { mode: 0o600 })
  renameSync(draft, join(dataFolder, FILE))
}

/** `mine`, `other` = a process that still runs, `none` = its process is gone or there never was one. */
export function ownership(dataFolder: string): 'mine' | 'other' | 'none' {
  const owner = read(dataFolder)
  if (!owner || birthOf(owner.pid) !== owner.birth) return 'none'
  return owner.pid === process.pid ? 'mine' : 'other'
}

export function dropOwnership(dataFolder: string): void {
  rmSync(join(dataFolder, FILE), { force: true })
}

/** A file that is missing or unreadable names no owner. */
function read(dataFolder: string): z.infer<typeof ownerSchema> | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(join(dataFolder, FILE), 'utf8')))
  } catch {
    return undefined
  }
}
