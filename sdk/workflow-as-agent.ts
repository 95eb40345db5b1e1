import type { AgentContext, AgentResult, Metas } from './definition'
import { ChildFailed, WaitTimedOut } from './errors'
import type { Json, ThreadOutcome } from './types'

/** What a child leaves in the meta of the role that it plays. */
export type ChildMeta = {
  threadId: string
  workflow: string
  status: ThreadOutcome['status']
  /** 255 when the child ended without a code, dropped or removed. */
  returnCode: number
  summary: string
  steps: number
}

export type ChildOptions<M extends Metas, I> = {
  /** Default: the prompt of this thread. */
  prompt?: (ctx: AgentContext<M, I>) => string
  /** Default: none. */
  input?: (ctx: AgentContext<M, I>) => Json
  maxRounds?: number
  tags?: string[]
  labels?: string[]
  priority?: number
}

type WaitOptions = {
  /** `fail`, the default: a child that does not complete fails the role with `ChildFailed`. `return`: the meta says how it ended. */
  onFailure?: 'fail' | 'return'
  /** From when the thread begins to wait; then the role fails with `WaitTimedOut`, and what still runs ends with its parent. */
  timeoutSeconds?: number
}

/**
 * Another workflow plays the role, as a child thread: this thread waits for its end without holding a process. Text and
 * meta (`ChildMeta`) are made from how the child ended, and the step links to it. Re-run, the role finds the child that it
 * started before. A child that cannot be started fails the role: see `Runtime.startThread`.
 *
 * `workflow` is `name` for the version that is current then, or `name@hash`.
 */
export function workflowAsAgent<M extends Metas, I>(
  workflow: string,
  options: ChildOptions<M, I> & WaitOptions = {},
): (ctx: AgentContext<M, I>) => Promise<AgentResult<ChildMeta>> {
  const asked = [{ ...options, workflow }]
  return async (ctx) => {
    const { outcomes, group } = await playAll(ctx, asked, 'all', options)
    const [child] = outcomes.map((outcome) => metaOf(outcome, workflow))
    if (child === undefined) throw new Error(`The end of a child thread of ${workflow} is not known.`)
    return { output: child.summary, meta: child, childThread: group }
  }
}

/**
 * Several workflows play the role at once, each as a child thread. `mode` says when the thread goes on: when all have ended
 * (the default), when any has, or when one has completed. The meta holds those that had ended then; others run on, but not
 * longer than this thread. Failed is, for `all`, if any child did not complete, and else if none did.
 */
export function workflowsAsAgent<M extends Metas, I>(
  children: readonly (ChildOptions<M, I> & { workflow: string })[],
  options: WaitOptions & { mode?: 'all' | 'any' | 'success' } = {},
): (ctx: AgentContext<M, I>) => Promise<AgentResult<{ threads: ChildMeta[] }>> {
  return async (ctx) => {
    const { outcomes, group } = await playAll(ctx, children, options.mode ?? 'all', options)
    const threads = outcomes.map((outcome) => metaOf(outcome, outcome.workflow ?? ''))
    const output = threads.map(({ workflow, summary }) => `${workflow}: ${summary}`).join('\n')
    return { output, meta: { threads }, childThread: group }
  }
}

async function playAll<M extends Metas, I>(
  ctx: AgentContext<M, I>,
  children: readonly (ChildOptions<M, I> & { workflow: string })[],
  mode: 'all' | 'any' | 'success',
  { onFailure = 'fail', timeoutSeconds }: WaitOptions,
) {
  const threads: string[] = []
  for (const { workflow, prompt, input, maxRounds, tags, labels, priority } of children) {
    // One after the other: the n-th child of a re-run is the n-th of the first run.
    const child = await ctx.runtime.startThread({
      workflow,
      prompt: prompt?.(ctx) ?? ctx.thread.start.content,
      ...(input === undefined ? {} : { input: input(ctx) }),
      ...(maxRounds === undefined ? {} : { maxRounds }),
      ...(tags === undefined ? {} : { tags }),
      ...(labels === undefined ? {} : { labels }),
      ...(priority === undefined ? {} : { priority }),
    })
    threads.push(child.threadId)
  }
  const answer = await ctx.runtime.wait({ threads, mode, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) })
  if (!answer.answered) {
    const whom = children.map(({ workflow }) => workflow).join(', ')
    throw new WaitTimedOut(`The child threads of ${whom} did not end within ${timeoutSeconds} seconds.`)
  }
  const { outcomes } = answer
  const failed = outcomes.filter(({ status }) => status !== 'completed')
  const [first] = failed
  const enough = mode === 'all' ? first === undefined : failed.length < outcomes.length
  if (first !== undefined && !enough && onFailure === 'fail') {
    const { workflow, threadId, status, summary } = first
    const message = `The child thread ${threadId} of ${workflow ?? 'a removed thread'} is ${status}: ${summary ?? 'no summary'}`
    throw new ChildFailed(message, first, outcomes)
  }
  return answer
}

function metaOf({ threadId, status, ...outcome }: ThreadOutcome, asked: string): ChildMeta {
  return {
    threadId,
    status,
    workflow: outcome.workflow ?? asked,
    returnCode: outcome.returnCode ?? 255,
    summary: outcome.summary ?? `The thread was ${status}.`,
    steps: outcome.steps ?? 0,
  }
}
