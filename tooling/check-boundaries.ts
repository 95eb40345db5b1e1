import { findForbiddenImports } from './boundaries'
import { listFiles } from './list-files'

const root = process.cwd()
const files = listFiles(root, '*.ts', '*.tsx', '*.mts')
const found = findForbiddenImports(root, files)
if (found.length > 0) {
  process.stderr.write(
    `${found.join('\n')}\n\n${found.length} forbidden imports. The rules: tooling/boundary-rules.ts\n`,
  )
  process.exitCode = 1
} else {
  process.stdout.write(`Import boundaries: ${files.length} files, none crosses one.\n`)
}
