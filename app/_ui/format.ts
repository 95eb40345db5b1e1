/** Texts for people, made from numbers and ISO times. Pure: the reader's zone and "now" come in as arguments. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `840 ms`, `4.2 s`, `3 m 05 s`, `2 h 14 m`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  const rounded = Math.max(0, Math.round(ms))
  if (rounded < SECOND) return `${rounded} ms`
  if (rounded < MINUTE - 50) return `${(rounded / SECOND).toFixed(1)} s`
  if (rounded < HOUR) {
    const seconds = Math.round(rounded / SECOND)
    return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`
  }
  const minutes = Math.round(rounded / MINUTE)
  if (rounded < DAY) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`
  const hours = Math.round(rounded / HOUR)
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** `just now`, `42 s ago`, `5 m ago`, `3 h ago`, `2 d ago`; a time after `now` (clocks differ a little) is `just now`. */
export function formatAgo(iso: string, now: number): string {
  const elapsed = now - Date.parse(iso)
  if (elapsed < 5 * SECOND) return 'just now'
  if (elapsed < MINUTE) return `${Math.floor(elapsed / SECOND)} s ago`
  if (elapsed < HOUR) return `${Math.floor(elapsed / MINUTE)} m ago`
  if (elapsed < DAY) return `${Math.floor(elapsed / HOUR)} h ago`
  return `${Math.floor(elapsed / DAY)} d ago`
}

/** `now`, `in 42 s`, `in 5 m`, `in 3 h`, `in 2 d`, `in 4 y`; a time before `now` is `now`. */
export function formatUntil(iso: string, now: number): string {
  const left = Date.parse(iso) - now
  if (left < SECOND) return 'now'
  if (left < MINUTE) return `in ${Math.floor(left / SECOND)} s`
  if (left < HOUR) return `in ${Math.floor(left / MINUTE)} m`
  if (left < DAY) return `in ${Math.floor(left / HOUR)} h`
  const days = Math.floor(left / DAY)
  return days < 730 ? `in ${days} d` : `in ${Math.floor(days / 365)} y`
}

/** `2026-11-30 20:13:07.123 UTC`. */
export function formatUtc(iso: string): string {
  return `${iso.replace('T', ' ').replace('Z', '')} UTC`
}

/** `812 B`, `4.2 KB`, `1.5 MB`: powers of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const units = ['KB', 'MB', 'GB', 'TB']
  let value = bytes / 1024
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** `12,345`, the same in every locale so that server and browser agree. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 step`, `2 steps`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** The last six characters of a ULID: its random part, which differs between threads that began in the same second. */
export function shortId(id: string): string {
  return id.slice(-6)
}
