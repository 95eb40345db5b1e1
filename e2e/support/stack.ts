import { z } from 'zod'

/** What the specs know of the Cairn that the global setup started. */
const stackSchema = z.object({
  url: z.url(),
  key: z.string(),
  databaseUrl: z.url(),
  /** A folder that goes when the tests are over; the gated workflow may run commands in it. */
  folder: z.string(),
  /** Answers `POST /stop-web`: kills the web server, which `cairn up` then starts again. */
  control: z.url(),
})
export type Stack = z.infer<typeof stackSchema>

const VARIABLE = 'CAIRN_E2E_STACK'

/** Playwright gives its environment to the processes that run specs. */
export function publishStack(stack: Stack): void {
  process.env[VARIABLE] = JSON.stringify(stack)
}

export function readStack(): Stack {
  const text = process.env[VARIABLE]
  if (text === undefined) throw new Error('No Cairn was started: run the specs with npm run test:e2e.')
  return stackSchema.parse(JSON.parse(text))
}
