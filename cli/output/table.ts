import { type Paint, printableLine } from './terminal'

export type Column<Row> = { title: string; value: (row: Row) => string; align?: 'left' | 'right' }

/** Rows as aligned columns, two spaces apart, a header first. Cells are made printable. Ends with a newline. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Paint): string {
  const cells = rows.map((row) => columns.map((column) => printableLine(column.value(row))))
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((line) => [...(line[i] ?? '')].length)),
  )
  const format = (line: readonly string[]) =>
    line
      .map((cell, i) => {
        const fill = ' '.repeat(Math.max(0, (widths[i] ?? 0) - [...cell].length))
        return columns[i]?.align === 'right' ? fill + cell : cell + fill
      })
      .join('  ')
      .trimEnd()
  const header = paint('dim', format(columns.map((column) => column.title)))
  return `${[header, ...cells.map(format)].join('\n')}\n`
}
