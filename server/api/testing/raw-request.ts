import { request } from 'node:http'
import type { TestApi } from './http-server'

/** One request with exactly these headers: `fetch` would not let a test choose the Host. */
export function rawRequest(
  api: TestApi,
  call: { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body: string | null },
): Promise<{ status: number; text: string }> {
  const headers = { ...(call.method === 'POST' ? { 'content-type': 'application/json' } : {}), ...call.headers }
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}${call.path}`, { method: call.method, headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer.setEncoding('utf8')) text += chunk
      resolve({ status: answer.statusCode ?? 0, text })
    })
    sent.on('error', reject)
    sent.end(call.body ?? undefined)
  })
}
