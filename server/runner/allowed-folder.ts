import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '@/server/kernel/errors'
import type { Grants } from '@/server/registry/views'

/** The folder in which a workflow may run a command. Throws NOT_GRANTED, or BAD_INPUT when there is no such folder. */
export async function allowedFolder(
  { command, cwd }: { command: string; cwd: string | null },
  grants: Grants,
  dryRun: boolean,
): Promise<string> {
  const grant = grants.exec.find((granted) => granted.command === command)
  const permission = `exec:${command}`
  if (grant === undefined) {
    const how = `An admin can grant it: cairn workflow grant <name> exec:${command}`
    throw new AppError('NOT_GRANTED', `The command ${command} was not granted to this workflow. ${how}`, { permission })
  }
  if (dryRun) throw new AppError('NOT_GRANTED', `This is a dry run: ${command} was not run.`, { permission })
  return workingFolder(cwd, grant.folders, command)
}

/** The folder asked for, with links resolved, when the grant covers it. No folders in the grant mean any. */
async function workingFolder(asked: string | null, folders: string[], command: string): Promise<string> {
  const wanted = asked ?? folders[0]
  if (wanted === undefined)
    throw new AppError('BAD_INPUT', `exec of ${command} needs a cwd: its grant names no folder.`, { field: 'cwd' })
  const real = await realpath(wanted).catch(() => {
    throw new AppError('BAD_INPUT', `The folder ${wanted} does not exist where this runner runs.`, { field: 'cwd' })
  })
  if (folders.length === 0) return real
  for (const folder of folders) {
    const allowed = await realpath(folder).catch(() => null)
    if (
      allowed !== null &&
      (real === allowed || real.startsWith(allowed.endsWith(path.sep) ? allowed : allowed + path.sep))
    )
      return real
  }
  throw new AppError('NOT_GRANTED', `${command} may run in ${folders.join(', ')}, not in ${wanted}.`, {
    permission: `exec:${command}`,
  })
}
