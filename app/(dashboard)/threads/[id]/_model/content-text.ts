/** The text in a stored content node; a body in another form (imported history) comes back as it is. */
export function contentText(body: string | null): string {
  if (body === null) return ''
  if (!body.startsWith('{')) return body
  const node: unknown = JSON.parse(body)
  const hasText = typeof node === 'object' && node !== null && 'payload' in node && typeof node.payload === 'string'
  return hasText ? String(node.payload) : body
}
