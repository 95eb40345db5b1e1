/** A table; cells are Markdown already. Columns whose heading starts with `#` hold numbers and are set to the right. */
export function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const rule = headings.map((heading) => (heading.startsWith('#') ? '---:' : '---'))
  return [line(headings.map((heading) => heading.replace(/^#/, ''))), line(rule), ...rows.map(line)].join('\n')
}

/** Any text as inline code that fits in a table cell: fenced by more backticks than it holds, control characters escaped. */
export function code(text: string): string {
  const shown = visible(text).replaceAll('|', '\\|')
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = shown === '' || longest > 0 || /^\s|\s$/.test(shown) ? ' ' : ''
  return `${fence}${pad}${shown}${pad}${fence}`
}

/** Any text as plain text: nothing in it is Markdown or HTML. */
export function plain(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]()#+\-.!|<>~&]/g, '\\$&')
}

/** Control characters, line separators and marks that turn the direction of text, as escapes. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}

export function bytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = size
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`
}

/** 1234567 → 1,234,567 */
export function count(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',')
}

/** many(2, 'commit') → 2 commits */
export function many(value: number, one: string): string {
  return `${count(value)} ${one}${value === 1 ? '' : 's'}`
}

export function percent(part: number): string {
  return part > 0 && part < 0.005 ? '<1 %' : `${Math.round(part * 100)} %`
}

/** UTC; a time that no calendar has is a dash. */
export function day(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 10)
}

/** A bar of up to ten blocks. */
export function bar(value: number, largest: number): string {
  return value === 0 ? '' : '█'.repeat(Math.max(1, Math.round((value / Math.max(largest, 1)) * 10)))
}
