import type { AgentContext, Metas } from './definition'
import { WaitTimedOut } from './errors'
import { jsonSchema } from './json-schema'
import { takeMeta } from './take-meta'
import type { WaitForInput } from './types'

export type HumanAgentOptions<M extends Metas, I> = {
  /** What the person is asked, as Markdown. */
  prompt: string | ((ctx: AgentContext<M, I>) => string)
  /** Which answers fit: an answer is given to a name. Default: the name of the role. */
  name?: string
  /** Hash of what is approved, so that an answer to something else does not count. */
  subject?: (ctx: AgentContext<M, I>) => string | undefined
  answerers?: WaitForInput['answerers']
  timeoutSeconds?: number
  /** The answer when nobody gave one in time. Without it the role fails with `WaitTimedOut`. */
  onTimeout?: (ctx: AgentContext<M, I>) => string
}

/** A person who gives answers that fit the form and not the schema is asked so often. */
const MAX_ASKS = 10

/**
 * A person plays the role: the thread waits, without holding a process, until somebody has filled in the form that is made
 * from the role's schema. The answer becomes the meta. What no form can say (a `refine`) is checked when the answer is
 * there, and the person is asked again, told what does not fit.
 */
export function humanAgent<M extends Metas, I>(
  options: HumanAgentOptions<M, I>,
): (ctx: AgentContext<M, I>) => Promise<string> {
  return async (ctx) => {
    const { name, schema } = ctx.currentRole
    const { answerers, timeoutSeconds } = options
    const subject = options.subject?.(ctx)
    const question = typeof options.prompt === 'string' ? options.prompt : options.prompt(ctx)
    const request: WaitForInput = {
      input: jsonSchema(schema, 'input', `The schema of role "${name}"`),
      prompt: question,
      name: options.name ?? name,
      ...(subject === undefined ? {} : { subject }),
      ...(answerers === undefined ? {} : { answerers }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    }
    for (let ask = 1; ; ask++) {
      const answer = await ctx.runtime.wait(request)
      if (!answer.answered) {
        if (options.onTimeout) return options.onTimeout(ctx)
        throw new WaitTimedOut(`Nobody answered for the role "${name}" within ${timeoutSeconds} seconds.`)
      }
      const output = JSON.stringify(answer.value)
      const taken = takeMeta(schema, output)
      // The last answer goes to the record as it is, where the role fails with what does not fit.
      if (taken.ok || ask === MAX_ASKS) return output
      const problems = taken.problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
      ctx.runtime.log(`The answer of ${answer.by} does not fit: ${problems}`, { level: 'warn' })
      request.prompt = `${question}\n\nThe last answer does not fit. ${problems}`
    }
  }
}
