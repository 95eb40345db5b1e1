import type { TestApi } from './http-server'

export type StreamEvent = { event: string; id: string; data: string }

export type EventStream = {
  /** Every event until the server closes the stream. */
  all(): Promise<StreamEvent[]>
  /** Whether such an event came before the stream closed. */
  until(event: string): Promise<boolean>
  leave(): Promise<void>
}

/** The bytes of `thread.watch` as a browser gets them; `lastEventId` is what it sends when it reconnects. */
export async function openStream(api: TestApi, key: string, id: string, lastEventId?: string): Promise<EventStream> {
  const input = encodeURIComponent(JSON.stringify({ id }))
  const leaving = new AbortController()
  const answer = await fetch(`${api.url}/api/trpc/thread.watch?input=${input}`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  })
  if (answer.body === null) throw new Error('an event stream has a body')
  const events = parse(answer.body)
  return {
    async all() {
      const seen: StreamEvent[] = []
      for await (const event of events) seen.push(event)
      return seen
    },
    async until(wanted) {
      for (;;) {
        const next = await events.next()
        if (next.done || next.value.event === wanted) return !next.done
      }
    },
    async leave() {
      leaving.abort()
      // The abort is what ends the reading.
      await events.return(undefined).catch(() => undefined)
    },
  }
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2).replace(/^\n+/, '')
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (lines.some((line) => line !== '')) yield { event: field('event'), id: field('id'), data: field('data') }
    }
  }
}
