import { AppError } from '@/server/kernel/errors'

/**
 * The server listens on loopback only, but a page of any site runs in a browser on this machine. Two things keep it out:
 * a name that the site made point to 127.0.0.1 is not among the hosts (DNS rebinding), and what a browser sends across
 * origins says so (Origin, Sec-Fetch-Site).
 */
export function loopbackHosts(port: number): string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
}

export type RequestKind =
  /** A person opens a page, perhaps by a link on another site; the browser shows it to nobody else. */
  | 'page'
  /** A script asks for something. */
  | 'read'
  /** A script changes something. */
  | 'write'

/** Throws FORBIDDEN for a Host that is not one of `allowedHosts`. */
export function checkHost(headers: Headers, allowedHosts: readonly string[]): void {
  const host = headers.get('host')?.toLowerCase() ?? ''
  if (allowedHosts.includes(host)) return
  throw new AppError(
    'FORBIDDEN',
    `This server does not answer under the name "${host}". Use http://${allowedHosts[0]}.`,
    {},
  )
}

/** Throws FORBIDDEN for a wrong Host, and for what a page of another origin sent. */
export function checkHostAndOrigin(
  headers: Headers,
  allowedHosts: readonly string[],
  request: { kind: RequestKind; byCookie: boolean },
): void {
  checkHost(headers, allowedHosts)
  if (request.kind === 'page') return
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const isOwnOrigin = origin !== null && allowedHosts.some((host) => origin === `http://${host}`)
  const isOwnSite = site === 'same-origin' || site === 'none'
  const isForeign = (origin !== null && !isOwnOrigin) || (site !== null && !isOwnSite)
  const isProven = isOwnOrigin || site === 'same-origin'
  if (isForeign || (request.kind === 'write' && request.byCookie && !isProven)) {
    throw new AppError('FORBIDDEN', 'A page of another origin sent this. Use the dashboard itself, or an API key.', {})
  }
}
