import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { processIo } from '@/cli/io'
import { buildProgram } from '@/cli/program'
import { type Mention, readExplained, readMentions } from './docs'
import { listFiles } from './list-files'

const root = process.cwd()
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { scripts, dependencies } = z
  .object({ scripts: z.record(z.string(), z.string()), dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')))
const program = buildProgram(processIo({ json: false, debug: false }), () => undefined)

const files = listFiles(root, '*.md')
const problems = files.flatMap((file) =>
  readMentions(read(file)).flatMap((mention) => {
    const problem = problemOf(mention)
    return problem ? [`${file}:${mention.line} ${problem}`] : []
  }),
)
problems.push(...compareDependencies())
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
} else {
  process.stdout.write(`Docs: ${files.length} files, every path and command in them exists.\n`)
}

function problemOf({ kind, text }: Mention): string | null {
  if (kind === 'path') return existsSync(join(root, text)) ? null : `names ${text}, which does not exist.`
  if (kind === 'script') return scripts[text] === undefined ? `names npm run ${text}, which package.json lacks.` : null
  return isCommand(program, text.split(' ')) ? null : `names "cairn ${text}", which is no command.`
}

/** Words after the command are its arguments, so only a word that should be a command of a group is wrong. */
function isCommand(parent: Command, words: readonly string[]): boolean {
  if (parent.commands.length === 0) return true
  const child = parent.commands.find((command) => command.name() === words[0])
  return child !== undefined && isCommand(child, words.slice(1))
}

function compareDependencies(): string[] {
  const file = 'docs/dependencies.md'
  const explained = new Set(readExplained(read(file)))
  const missing = Object.keys(dependencies).filter((name) => !explained.has(name))
  const gone = [...explained].filter((name) => dependencies[name] === undefined)
  return [
    ...missing.map((name) => `${file} does not say why ${name} is needed.`),
    ...gone.map((name) => `${file} explains ${name}, which is no runtime dependency.`),
  ]
}
