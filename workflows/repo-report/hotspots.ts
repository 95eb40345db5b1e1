import * as z from 'zod'
import { folderOf } from './survey'
import type { Survey } from './survey-data'

const TOP = 15

const share = z.number().min(0).max(1)
/** What the hotspots hand to the report. */
export const hotspotsSchema = z.object({
  hotspots: z.array(
    z.object({
      path: z.string(),
      size: z.int().nullable(),
      commits: z.int(),
      added: z.int(),
      deleted: z.int(),
      last: z.number(),
      owner: z.string().nullable(),
      ownerShare: share,
    }),
  ),
  authors: z.array(
    z.object({
      name: z.string(),
      commits: z.int(),
      added: z.int(),
      deleted: z.int(),
      last: z.number(),
      /** Files of which this author wrote more than half of the lines that were added. */
      files: z.int(),
    }),
  ),
  folders: z.array(
    z.object({ name: z.string(), changes: z.int(), authors: z.int(), owner: z.string().nullable(), ownerShare: share }),
  ),
  /** The fewest authors who together are the main owner of more than half of the files; 0 when no file has an owner. */
  busFactor: z.int(),
  /** Generated files, left out of churn and ownership. */
  generated: z.int(),
})
export type Hotspots = z.infer<typeof hotspotsSchema>

type Changed = Survey['changed'][number]

/** Where change gathers, and who knows what. Pure: the same survey gives the same hotspots. */
export function findHotspots({ changed, authors }: Survey): Hotspots {
  const written = changed.filter(({ path }) => !isGenerated(path))
  const nameOf = (index: number) => authors[index]?.name ?? null
  const mainFiles = new Map<number, number>()
  for (const file of written) {
    const [owner, part] = mainOwner(file.owners)
    if (owner !== null && part > 0.5) mainFiles.set(owner, (mainFiles.get(owner) ?? 0) + 1)
  }
  return {
    hotspots: written.slice(0, TOP).map(({ path, size, commits, added, deleted, last, owners }) => {
      const [owner, ownerShare] = mainOwner(owners)
      return { path, size, commits, added, deleted, last, owner: owner === null ? null : nameOf(owner), ownerShare }
    }),
    authors: authors
      .map((author, index) => ({ ...author, files: mainFiles.get(index) ?? 0 }))
      .sort((a, b) => b.commits - a.commits || b.added - a.added)
      .slice(0, TOP),
    folders: foldersOf(written)
      .slice(0, TOP)
      .map(({ owners, name, changes }) => {
        const [owner, ownerShare] = mainOwner([...owners])
        return { name, changes, authors: owners.size, owner: owner === null ? null : nameOf(owner), ownerShare }
      }),
    busFactor: busFactor(written.length, [...mainFiles.values()]),
    generated: changed.length - written.length,
  }
}

/** Who added most lines, and which part of all; null when nobody added any. */
function mainOwner(owners: Changed['owners']): [number | null, number] {
  let main: number | null = null
  let most = 0
  let all = 0
  for (const [author, lines] of owners) {
    all += lines
    if (lines > most) {
      main = author
      most = lines
    }
  }
  return [main, all === 0 ? 0 : most / all]
}

function foldersOf(files: Changed[]): { name: string; changes: number; owners: Map<number, number> }[] {
  const folders = new Map<string, { name: string; changes: number; owners: Map<number, number> }>()
  for (const { path, commits, owners } of files) {
    const name = folderOf(path)
    const folder = folders.get(name) ?? { name, changes: 0, owners: new Map<number, number>() }
    folders.set(name, folder)
    folder.changes += commits
    for (const [author, lines] of owners) folder.owners.set(author, (folder.owners.get(author) ?? 0) + lines)
  }
  return [...folders.values()].sort((a, b) => b.changes - a.changes)
}

function busFactor(files: number, owned: number[]): number {
  let covered = 0
  let people = 0
  for (const count of owned.sort((a, b) => b - a)) {
    if (covered * 2 > files) break
    covered += count
    people++
  }
  return people
}

const GENERATED = [
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum|flake\.lock)$/,
  /\.(min\.(js|css)|map|snap|pb\.go)$/,
  /(^|\/)(node_modules|vendor|third_party|dist)\//,
]

/** Lock files, minified and vendored code: they change often and tell nothing of the people who work here. */
function isGenerated(path: string): boolean {
  return GENERATED.some((pattern) => pattern.test(path))
}
