import { resolve } from 'node:path'
import type { Grants } from '@/server/registry/views'
import { CliError } from './cli-error'
import { EXIT_CODES } from './exit-codes'

export type Grant = { command: string; folder: string | null }

/** `exec:git` or `exec:git=folder`; the folder is taken from where the command is typed. */
export function parseGrant(text: string, cwd: string): Grant {
  const match = /^exec:([A-Za-z0-9._+-]+)(?:=(.+))?$/s.exec(text)
  const command = match?.[1]
  if (command === undefined) {
    throw new CliError(
      EXIT_CODES.usage,
      `"${text}" is not a grant. Write exec:git, or exec:git=folder to bind it to a folder.`,
    )
  }
  const folder = match?.[2]
  return { command, folder: folder === undefined ? null : resolve(cwd, folder) }
}

export function formatGrants(grants: Grants): string[] {
  return grants.exec.flatMap(({ command, folders }) =>
    folders.length === 0 ? [`exec:${command}`] : folders.map((folder) => `exec:${command}=${folder}`),
  )
}

/** Adds grants to those there are. A command granted without a folder may run in any: folders no longer bind it. */
export function addGrants(grants: Grants, added: readonly Grant[]): Grants {
  const byCommand = new Map(grants.exec.map(({ command, folders }) => [command, folders]))
  for (const { command, folder } of added) {
    const folders = byCommand.get(command)
    if (folder === null || folders?.length === 0) byCommand.set(command, [])
    else byCommand.set(command, [...new Set([...(folders ?? []), folder])])
  }
  return toGrants(byCommand)
}

/** Takes grants away: a command with all its folders, or one folder of it. A command without folders left is gone. */
export function revokeGrants(grants: Grants, revoked: readonly Grant[]): Grants {
  const byCommand = new Map(grants.exec.map(({ command, folders }) => [command, folders]))
  for (const { command, folder } of revoked) {
    const folders = byCommand.get(command)
    const left = folder === null ? [] : (folders ?? []).filter((kept) => kept !== folder)
    if (folders === undefined || (folder !== null && left.length === folders.length)) {
      const name = folder === null ? `exec:${command}` : `exec:${command}=${folder}`
      throw new CliError(
        EXIT_CODES.notFound,
        `${name} is not granted, so it cannot be taken away. See "cairn workflow show".`,
      )
    }
    if (left.length > 0) byCommand.set(command, left)
    else byCommand.delete(command)
  }
  return toGrants(byCommand)
}

function toGrants(byCommand: ReadonlyMap<string, string[]>): Grants {
  return { exec: [...byCommand].map(([command, folders]) => ({ command, folders })) }
}
