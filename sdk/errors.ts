import type { ThreadOutcome } from './types'

/** The definition of a workflow cannot work: thrown while the bundle loads, so a broken table never runs. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
}

/** The input that the thread was started with does not fit the workflow's input schema. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** A condition of the routing table threw or answered with a promise. */
export class RoutingError extends Error {
  override readonly name = 'RoutingError'
}

export type MetaProblem = {
  /** Dotted path into the meta; empty for the meta itself. */
  path: string
  message: string
}

/** What an agent returned does not give the role's meta. The raw text is kept as the content node `contentHash`. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError'
  constructor(
    message: string,
    readonly role: string,
    readonly problems: MetaProblem[],
    readonly contentHash: string,
  ) {
    super(message)
  }
}

/** A child thread that the role needs did not complete. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed'
  constructor(
    message: string,
    /** The first that did not complete. */
    readonly outcome: ThreadOutcome,
    /** All that had ended then, completed ones too. */
    readonly outcomes: readonly ThreadOutcome[],
  ) {
    super(message)
  }
}

/** Nobody answered, or no child ended, within `timeoutSeconds`. */
export class WaitTimedOut extends Error {
  override readonly name = 'WaitTimedOut'
}
