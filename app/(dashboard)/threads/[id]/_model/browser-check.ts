import type { Json } from '@/sdk/types'
import type { StepRecord } from '@/server/threads/records'

/** How a step is checked: the two functions come from the CAS, the two reads from the API. */
export type CheckTools = {
  hash: (text: string) => string
  canonical: (value: unknown) => string
  /** The stored text of a node. */
  bodyOf: (hash: string) => Promise<string | null>
}

/**
 * Hashes anew what the page shows of a step, in the browser, and says what is wrong; null when all fits: the node's text has
 * the node's hash, says the role, meta and content that are shown, and follows the node before it; the shown content has
 * the content's hash.
 */
export async function checkStep(
  step: StepRecord,
  previous: StepRecord | undefined,
  tools: CheckTools,
): Promise<string | null> {
  const body = await tools.bodyOf(step.hash)
  if (body === null) return 'its node cannot be read'
  if (tools.hash(body) !== step.hash) return `its stored text does not have the hash ${step.hash}`
  const node = payloadOf(body)
  if (node !== null) {
    if (node.role !== step.role) return 'the node names another role than is shown'
    if (node.content !== step.contentHash) return 'the node names another content than is shown'
    if (tools.canonical(node.meta) !== tools.canonical(step.meta)) return 'the node has another meta than is shown'
    if (previous !== undefined && previous.height === step.height - 1 && parentOf(node) !== previous.hash) {
      return `the node does not follow step ${previous.step}`
    }
  }
  return checkContent(step, tools)
}

async function checkContent(step: StepRecord, tools: CheckTools): Promise<string | null> {
  if (!step.contentTruncated) {
    const text = tools.canonical({ type: 'content', payload: step.content, refs: step.refs })
    if (tools.hash(text) === step.contentHash) return null
  }
  // A long content came cut, and imported history is stored in another form: hash what is stored and compare.
  const body = await tools.bodyOf(step.contentHash)
  if (body === null) return 'its content cannot be read'
  if (tools.hash(body) !== step.contentHash) return `its content does not have the hash ${step.contentHash}`
  const stored = contentOf(body)
  const isShown = stored === null || (step.contentTruncated ? stored.startsWith(step.content) : stored === step.content)
  return isShown ? null : 'the stored content is another one than is shown'
}

/** Null for the form of imported history, which is not JSON. */
function parsed(body: string): Record<string, Json> | null {
  if (!body.startsWith('{')) return null
  const value: unknown = JSON.parse(body)
  // Text that begins with a brace and parses is an object, and what JSON.parse returns is JSON.
  return value as Record<string, Json>
}

function payloadOf(body: string): Record<string, Json> | null {
  const payload = parsed(body)?.payload
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : null
}

function contentOf(body: string): string | null {
  const payload = parsed(body)?.payload
  return typeof payload === 'string' ? payload : null
}

function parentOf(node: Record<string, Json>): Json {
  const ancestors = node.ancestors
  return Array.isArray(ancestors) ? (ancestors[0] ?? null) : null
}
