/** What a documentation file says that can be checked: paths, npm scripts and commands. */
export type Mention = { line: number; text: string; kind: 'path' | 'script' | 'command' }

const PATH = /^\.?[\w@(][\w@.()[\]-]*(?:\/[\w@.()[\]-]*)+$|^[A-Z]+\.md$|^package(?:-lock)?\.json$/
/** Paths that exist only once Cairn runs or is built, and a reference to a package. */
const NOT_OURS = /^(?:\.cairn|\.next|cairn\/sdk|node_modules)(?:\/|$)|^[a-z]+\/[a-z]+@|^@[\w-]+\/[\w-]+$|\.esm\.js$/

/**
 * Reads Markdown: code spans everywhere, and the lines of code blocks of a shell. Other blocks show sources, or trees whose
 * indented names `listTree` reads.
 */
export function readMentions(markdown: string): Mention[] {
  const mentions: Mention[] = []
  let block: string | null = null
  for (const [index, text] of markdown.split('\n').entries()) {
    const line = index + 1
    const fence = /^\s*```(.*)$/.exec(text)
    if (fence) {
      block = block === null ? (fence[1] ?? '').trim() : null
      continue
    }
    if (block === null) {
      for (const [, code = ''] of text.matchAll(/`([^`]+)`/g)) mentions.push(...readCode(code, line))
    } else if (block === 'sh') {
      mentions.push(...readCode(text.replace(/(^|\s)#.*$/, ''), line))
    } else if (block === 'tree') {
      const path = text.trim().split(/\s+/)[0] ?? ''
      if (path !== '') mentions.push({ line, text: path, kind: 'path' })
    }
  }
  return mentions
}

function readCode(code: string, line: number): Mention[] {
  const found: Mention[] = []
  for (const part of code.split(/&&|\|\|?|;/).map((piece) => piece.trim())) {
    const script = /^npm (?:run ([\w:-]+)|(test))\b/.exec(part)
    const name = script?.[1] ?? script?.[2]
    if (name !== undefined) found.push({ line, text: name, kind: 'script' })
    const command = /^(?:npx |npm run )?cairn (?:-- )?((?:[a-z][a-z-]*(?: |$))+)/.exec(part)
    if (command?.[1] !== undefined) found.push({ line, text: command[1].trim(), kind: 'command' })
    for (const word of part.split(/\s+/)) {
      if (PATH.test(word) && !NOT_OURS.test(word)) found.push({ line, text: word, kind: 'path' })
    }
  }
  return found
}

/** Names of the packages that `docs/dependencies.md` explains: the code spans that begin its list items. */
export function readExplained(markdown: string): string[] {
  return [...markdown.matchAll(/^- ((?:`[^`]+`(?:, )?)+)/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}
