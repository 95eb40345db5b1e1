import { z } from 'zod'
import type { Database } from '@/db/client'
import { contentNode } from '@/server/cas/nodes'
import { END, hashSchema } from '@/server/kernel/ids'
import type { PutContent } from '@/server/sandbox/protocol'
import type { BoundName, Limits } from '@/server/threads/limits'
import { EXIT } from '@/server/threads/status'
import type { Appender } from './appender'
import type { Chain, NextNode } from './chain'
import type { DatabaseClock } from './database-clock'
import type { Lease } from './lease'
import { PendingContents } from './pending-contents'
import { readStep } from './read-step'
import { whatIsWrong } from './role-output'
import { type StepFacts, stepRow } from './step-row'

/** Why the thread cannot go on: what its end node is to say. */
export type Wrong = { wrong: string }
export type RecordedStep = { node: NextNode; control: 'pause' | 'kill' | null }

/** Unwritten contents above this are stored at once and not with the next step. */
const MAX_PENDING_CHARACTERS = 4 * 1024 * 1024

/** What one run adds to its thread: contents, steps and the end, on the chain that `chain` is set to. */
export class Recorder {
  readonly contents: PendingContents
  chain: Chain | undefined

  constructor(
    private readonly services: { db: Database; appender: Appender; clock: DatabaseClock },
    private readonly lease: Lease,
    private readonly limits: Limits,
    /** Steps of the thread so far. */
    private steps: number,
  ) {
    this.contents = new PendingContents(services.db, lease)
  }

  get head(): string {
    return this.chainNow().head
  }

  /** Takes in contents, to be stored with the step that names them at the latest. */
  async put(contents: PutContent[]): Promise<Wrong | null> {
    for (const { text, refs } of contents) {
      const parsed = z.array(hashSchema).safeParse(refs)
      if (!parsed.success) return { wrong: `bad cas.put: a ref ${whatIsWrong(parsed.error)}` }
      const node = contentNode(text, parsed.data)
      if (node.size > this.limits.contentBytes) return this.beyond('contentBytes', `a content of ${node.size} bytes`)
      await this.contents.put(node)
    }
    if (this.contents.size > MAX_PENDING_CHARACTERS) await this.storeContents()
    return null
  }

  /** Stores what has been put, without a step. */
  async storeContents(): Promise<void> {
    if (this.contents.size === 0) return
    await this.services.appender.put(this.lease, this.contents.rows())
    this.contents.clear()
  }

  /** Appends what the generator yielded. Throws LeaseLost. */
  async step(output: unknown, maxRounds: number): Promise<RecordedStep | Wrong> {
    const step = await readStep(this.services.db, this.contents, output)
    if ('wrong' in step) return { wrong: `bad yield: ${step.wrong}` }
    const { role, meta, content, childThread } = step
    if (this.steps >= maxRounds) {
      return { wrong: `stopped at the bound maxRounds (${maxRounds}) before ${role} could be recorded` }
    }
    const node = this.chainNow().next({ role, meta, content, childThread, now: this.services.clock.now() })
    if (node.size > this.limits.contentBytes)
      return this.beyond('contentBytes', `a meta that makes a node of ${node.size} bytes`)
    const facts = { role, content: content.hash, childThread: childThread?.hash ?? null, counted: true }
    const control = await this.write(node, facts)
    this.steps += 1
    return { node, control }
  }

  /** Writes the end node. Throws LeaseLost. */
  async end(returnCode: number, summary: string): Promise<void> {
    const status = returnCode === EXIT.success ? 'completed' : returnCode === EXIT.killed ? 'killed' : 'failed'
    const content = await this.contents.putEmpty()
    const end = { status, returnCode, summary } as const
    const meta = { returnCode, summary }
    const node = this.chainNow().next({ role: END, meta, content, childThread: null, now: this.services.clock.now() })
    await this.write(node, { role: END, content: content.hash, childThread: null, counted: false, end })
  }

  private async write(node: NextNode, step: StepFacts): Promise<'pause' | 'kill' | null> {
    const chain = this.chainNow()
    const row = stepRow(this.lease, chain, node, step)
    const { control } = await this.services.appender.append(this.lease, row, this.contents.rows())
    chain.push(node)
    this.contents.clear()
    return control
  }

  private beyond(bound: BoundName, what: string): Wrong {
    return { wrong: `${what} is more than the bound ${bound} allows (${this.limits[bound]})` }
  }

  private chainNow(): Chain {
    if (this.chain === undefined) throw new Error('The chain is loaded before anything is appended.')
    return this.chain
  }
}
