import type { AgentContext } from './definition'

/** Answers with the prompt: plays a role whose schema the prompt, as JSON, fits. For tests. */
export async function echoAgent(ctx: Pick<AgentContext, 'thread'>): Promise<string> {
  return ctx.thread.start.content
}
