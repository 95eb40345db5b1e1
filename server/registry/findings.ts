/** What is wrong with a bundle and what to change. Lines and columns count from 1. */
export type Finding = { line?: number; column?: number; message: string }

/** What is wrong at an offset of the source. */
export type Problem = { offset: number; message: string }

/** Findings in the code of one bundle; checking stops after them. */
export const MAX_FINDINGS = 100

export const MAX_BUNDLE_BYTES = 10 * 1024 * 1024
export const MAX_TYPES_BYTES = 1024 * 1024
/** UTF-8 bytes of the descriptor's JSON. */
export const MAX_DESCRIPTOR_BYTES = 1024 * 1024

/** The one specifier besides Node's built-ins that a bundle may import. `cairn build` inlines it. */
export const SDK_SPECIFIERS: ReadonlySet<string> = new Set(['cairn/sdk'])
