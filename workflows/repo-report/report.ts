import type { Hotspots } from './hotspots'
import { bar, bytes, code, count, day, many, percent, plain, table } from './markdown'
import type { Survey } from './survey-data'

const TOP = 15
const MONTHS = 12

/** The report as Markdown. `found` is null for a repository without a commit. */
export function writeReport(survey: Survey, found: Hotspots | null): string {
  const title = `# ${plain(survey.name)}`
  if (!found) {
    return `${title}\n\nThis repository has no commit${survey.branch ? ` on ${code(survey.branch)}` : ''} yet, so there is nothing to report.\n`
  }
  const sections = [
    title,
    glance(survey, found),
    hotspots(found),
    people(found),
    folders(survey, found),
    largest(survey),
    languages(survey),
    activity(survey),
    notes(survey, found),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function glance({ head, branch, commits, range, authors, files }: Survey, { hotspots, busFactor }: Hotspots): string {
  const rows = [
    ['Head', `${code(head.slice(0, 12))}${branch ? ` on ${code(branch)}` : ' (detached)'}`],
    [
      'Commits',
      commits.read === commits.total ? count(commits.total) : `${count(commits.total)}, ${count(commits.read)} read`,
    ],
    ['From, to', range ? `${day(range.oldest)}, ${day(range.newest)}` : '–'],
    ['Authors', count(authors.length)],
    ['Files', `${count(files.count)}, ${bytes(files.bytes)}`],
    ['Bus factor', busFactor === 0 ? '–' : String(busFactor)],
  ]
  const [first] = hotspots
  const said = [
    first ? `Most changed: ${code(first.path)}, in ${many(first.commits, 'commit')}.` : '',
    mainAuthors(busFactor),
  ]
  return `${said.filter(Boolean).join(' ')}\n\n${table(['', 'At a glance'], rows)}`
}

function mainAuthors(busFactor: number): string {
  if (busFactor === 0) return 'No file has a main author.'
  const who = busFactor === 1 ? 'the same main author' : `one of ${count(busFactor)} people as their main author`
  return `More than half of the files have ${who}.`
}

function hotspots({ hotspots }: Hotspots): string {
  if (hotspots.length === 0)
    return '## Hotspots\n\nNo file that is still there was changed in the history that was read.'
  const rows = hotspots.map(({ path, commits, added, deleted, size, last, owner, ownerShare }) => [
    code(path),
    count(commits),
    `+${count(added)} −${count(deleted)}`,
    size === null ? '–' : bytes(size),
    day(last),
    owner === null ? '–' : `${plain(owner)} (${percent(ownerShare)})`,
  ])
  const headings = ['File', '#Commits', '#Lines', '#Size', 'Last change', 'Main author']
  return `## Hotspots\n\nFiles that change most often: faults gather where change does.\n\n${table(headings, rows)}`
}

function people({ authors }: Hotspots): string {
  const rows = authors.map(({ name, commits, added, deleted, files, last }) => [
    plain(name),
    count(commits),
    `+${count(added)} −${count(deleted)}`,
    count(files),
    day(last),
  ])
  const headings = ['Author', '#Commits', '#Lines', '#Files mainly theirs', 'Last commit']
  return `## Ownership\n\n${table(headings, rows)}`
}

function folders({ files }: Survey, { folders }: Hotspots): string {
  const sizes = new Map(files.folders.map((folder) => [folder.name, folder]))
  const rows = folders.map(({ name, changes, authors, owner, ownerShare }) => {
    const size = sizes.get(name)
    return [
      name === '.' ? 'top level' : code(`${name}/`),
      size ? count(size.files) : '–',
      size ? bytes(size.bytes) : '–',
      count(changes),
      count(authors),
      owner === null ? '–' : `${plain(owner)} (${percent(ownerShare)})`,
    ]
  })
  if (rows.length === 0) return ''
  return `### By folder\n\n${table(['Folder', '#Files', '#Size', '#Changes', '#Authors', 'Main author'], rows)}`
}

function largest({ files }: Survey): string {
  if (files.largest.length === 0) return ''
  const rows = files.largest
    .slice(0, TOP)
    .map(({ path, size }) => [code(path), bytes(size), percent(size / Math.max(files.bytes, 1))])
  return `## Largest files\n\n${table(['File', '#Size', '#Of all'], rows)}`
}

function languages({ files }: Survey): string {
  const rows = files.extensions
    .slice(0, TOP)
    .map(({ name, files: number, bytes: size }) => [
      name === '(none)' ? 'no extension' : code(name),
      count(number),
      bytes(size),
      percent(size / Math.max(files.bytes, 1)),
    ])
  return rows.length === 0 ? '' : `## By file type\n\n${table(['Type', '#Files', '#Size', '#Of all'], rows)}`
}

function activity({ months }: Survey): string {
  const shown = months.slice(-MONTHS)
  const most = Math.max(...shown.map(({ commits }) => commits))
  const rows = shown.map(({ month, commits }) => [month, count(commits), bar(commits, most)])
  return rows.length === 0 ? '' : `## Activity\n\n${table(['Month', '#Commits', ''], rows)}`
}

function notes({ notes }: Survey, { generated }: Hotspots): string {
  const all = [
    ...notes,
    ...(generated > 0 ? [`${many(generated, 'generated or vendored file')} left out of hotspots and ownership.`] : []),
  ]
  return all.length === 0 ? '' : `## What this leaves out\n\n${all.map((note) => `- ${note}`).join('\n')}`
}
