import { SESSION_SECONDS } from './sessions'

/** Browsers keep cookies by host and not by port: the name tells two servers on one machine apart. */
export function sessionCookieName(port: number): string {
  return `cairn_session_${port}`
}

export function sessionCookie(port: number, session: string): string {
  return `${sessionCookieName(port)}=${session}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Lax`
}

export function readSessionCookie(headers: Headers, port: number): string | null {
  const wanted = `${sessionCookieName(port)}=`
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? null
}
