// Preloaded (node --import) into every process that `cairn up` starts: ends it in order when its parent is gone, however
// the parent went. The parent holds the other end of stdin and never writes: end of file means that it died.
import process from 'node:process'

const { CAIRN_PARENT_WATCH: graceText } = process.env
// What the process starts in turn may be given the same flags; it must not watch too.
delete process.env.CAIRN_PARENT_WATCH

if (graceText) {
  process.on('SIGTERM', () => {
    // Ours is the only handler: then nothing would end the process.
    if (process.listenerCount('SIGTERM') === 1) process.exit(143)
    setTimeout(() => process.exit(143), Number(graceText)).unref()
  })
  const parentIsGone = () => {
    process.kill(process.pid, 'SIGTERM')
    // Whatever keeps an orderly end from happening: without its parent nobody else would end this process.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2 * Number(graceText) + 1_000)
  }
  process.stdin.once('end', parentIsGone)
  process.stdin.once('error', parentIsGone)
  process.stdin.resume()
  process.stdin.unref()
}
