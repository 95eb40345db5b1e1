import { startEmbedded } from '../embedded/start-embedded'

/**
 * A process that holds an embedded server, for tests that kill it: `tsx embedded-host.ts <dir>`. Prints one line of JSON when
 * the server is ready (or `{ error }`), and stops it on SIGTERM.
 */
const [dir = ''] = process.argv.slice(2)
try {
  const server = await startEmbedded({ dir })
  const { url, pid, port, owned } = server
  process.stdout.write(`${JSON.stringify({ url, pid, port, owned })}\n`)
  const alive = setInterval(() => {}, 60_000)
  process.once('SIGTERM', async () => {
    await server.stop()
    clearInterval(alive)
  })
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
}
