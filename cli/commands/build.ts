import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { buildBundle } from '@/server/registry/build'
import { EXIT_CODES } from '../exit-codes'
import { argument, parseOptions } from '../options'
import { printable } from '../output/terminal'
import { formatBytes } from '../output/units'
import type { Handler } from '../program'

const buildOptions = z.object({ out: z.string().optional() })

export const build: Handler = async (io, args, raw) => {
  const entry = argument(args, 0)
  const out = parseOptions(buildOptions, raw).out ?? `${entry.replace(/\.[cm]?[jt]sx?$/, '')}.esm.js`
  const { code, hash, warnings } = await buildBundle(entry)
  await writeFile(out, code)
  io.result({ file: out, hash, size: Buffer.byteLength(code), warnings }, ({ size }) =>
    [
      `${out}: ${hash}, ${formatBytes(size)}.`,
      ...warnings.map((warning) => `${io.paint('yellow', 'warning:')} ${printable(warning)}`),
      '',
    ].join('\n'),
  )
  return EXIT_CODES.ok
}
