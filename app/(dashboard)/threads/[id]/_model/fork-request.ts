import type { Json, JsonObject } from '@/sdk/types'

/** A result that the fork takes as if a role had returned it. */
export type InjectedStep = { role: string; content: string; meta: JsonObject }

export type ForkDraft = {
  /** Steps that the fork shares with its source; 0 begins anew. */
  keep: number
  prompt: string
  /** Undefined leaves the input as it is. */
  input: Json | undefined
  /** Hash of a version, or the empty text for the source's own. */
  version: string
  /** A number as text, or the empty text for the source's own. */
  maxRounds: string
  step: InjectedStep | null
  reason: string
}

type Source = { id: string; workflow: string; prompt: string; input: Json }

/** The input of `thread.fork`. What is as in the source is left out, so that a fork that changes nothing shares its start too. */
export function forkRequest(source: Source, draft: ForkDraft) {
  const isNewInput = draft.input !== undefined && JSON.stringify(draft.input) !== JSON.stringify(source.input)
  const overrides = {
    ...(draft.prompt === source.prompt ? {} : { prompt: draft.prompt }),
    ...(isNewInput && draft.input !== undefined ? { input: draft.input } : {}),
    ...(draft.version === '' ? {} : { workflow: `${source.workflow}@${draft.version}` }),
    ...(draft.maxRounds.trim() === '' ? {} : { maxRounds: Number(draft.maxRounds) }),
    ...(draft.step === null ? {} : { step: draft.step }),
  }
  const reason = draft.reason.trim()
  return {
    id: source.id,
    at: { step: draft.keep },
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    ...(reason === '' ? {} : { reason }),
  }
}

/** Where a fork begins, as a step's menu or the page's button asks for it. */
export type ForkPoint = { keep: number; inject: InjectedStep | null }
