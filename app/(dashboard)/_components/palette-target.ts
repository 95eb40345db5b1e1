const THREAD_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const HASH = /^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/

/** Where a pasted id or hash leads; null when the text is neither. Case and spaces around it do not matter. */
export function targetOf(text: string): { href: string; label: string } | null {
  const id = text.trim().toUpperCase()
  if (THREAD_ID.test(id)) return { href: `/threads/${id}`, label: `Thread ${id}` }
  if (HASH.test(id)) return { href: `/cas/${id}`, label: `Object ${id}` }
  return null
}
