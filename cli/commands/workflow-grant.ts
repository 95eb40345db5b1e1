import { z } from 'zod'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import { addGrants, formatGrants, parseGrant, revokeGrants } from '../grants'
import { argument, parseOptions } from '../options'
import { printable } from '../output/terminal'
import { count } from '../output/units'
import type { Handler } from '../program'
import { withServer } from '../session'

const grantOptions = z.object({ revoke: z.array(z.string()) })

/** Changes the grants there are; refused as a conflict when somebody else changed the workflow at the same moment. */
export const grant: Handler = async (io, args, raw) => {
  const name = argument(args, 0)
  const parse = (text: string) => parseGrant(text, process.cwd())
  const added = args.slice(1).map(parse)
  const revoked = parseOptions(grantOptions, raw).revoke.map(parse)
  if (added.length + revoked.length === 0) {
    throw new CliError(EXIT_CODES.usage, 'Name what to grant, like exec:git=., or what to take away with --revoke.')
  }
  const done = await withServer(raw, async (client) => {
    const { grants, version } = await client.workflow.get.query({ name })
    const wanted = addGrants(revokeGrants(grants, revoked), added)
    return client.workflow.grant.mutate({ name, grants: wanted, expectedVersion: version })
  })
  io.result(done, ({ grants }) => {
    const all = formatGrants(grants)
    return printable(
      `${name} has ${all.length === 0 ? 'no grants' : `${count(all.length, 'grant')}: ${all.join(', ')}`}.\n`,
    )
  })
  return EXIT_CODES.ok
}
