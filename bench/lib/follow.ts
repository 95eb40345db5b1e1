import { z } from 'zod'

const recordSchema = z.object({ kind: z.string(), at: z.string() })

export type Follower = {
  /** The first record has come: all that follows are told as they happen. */
  connected: Promise<void>
  /** The thread has ended. */
  done: Promise<void>
}

/** Reads `thread.watch` as a browser does, from the bytes of the stream. `onStep` is told the time (ms) that a step carries. */
export function followOverHttp(
  api: { url: string; headers: Record<string, string> },
  id: string,
  onStep: (at: number) => void,
): Follower {
  let connect: () => void = () => undefined
  const connected = new Promise<void>((resolve) => {
    connect = resolve
  })
  const done = read(api, id, (data) => {
    const { kind, at } = recordSchema.parse(JSON.parse(data))
    if (kind === 'step') onStep(Date.parse(at))
    connect()
    return kind === 'end'
  })
  return { connected: Promise.race([connected, done]), done }
}

/** Until `take` says that it was the last event. */
async function read(
  { url, headers }: { url: string; headers: Record<string, string> },
  id: string,
  take: (data: string) => boolean,
): Promise<void> {
  const input = encodeURIComponent(JSON.stringify({ id }))
  const answer = await fetch(`${url}/api/trpc/thread.watch?input=${input}`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  if (!answer.ok || answer.body === null) throw new Error(`thread.watch answered ${answer.status}.`)
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      const data = /^data: ?(.*"kind".*)$/m.exec(event)?.[1]
      // Leaving the loop cancels the stream.
      if (data !== undefined && take(data)) return
    }
  }
  throw new Error(`The stream of thread ${id} broke off before its end.`)
}
