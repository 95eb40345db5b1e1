import type { Json } from '@/sdk/types'

/** Who may answer a wait, in words: `{role?, names?}`, or null for everybody who may operate threads. */
export function answerersText(answerers: Json): string {
  if (typeof answerers !== 'object' || answerers === null || Array.isArray(answerers)) return EVERYBODY
  const { role, names } = answerers
  const ways = [
    ...(typeof role === 'string' ? [`whoever is ${role} or more`] : []),
    ...(Array.isArray(names) ? names.map(String) : []),
  ]
  return ways.length === 0 ? EVERYBODY : ways.join(', ')
}

const EVERYBODY = 'everybody who may operate threads'
