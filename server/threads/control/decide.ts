import { isFinished, type ThreadStatus } from '../status'

export const COMMANDS = ['pause', 'resume', 'kill', 'retry', 'remove'] as const
export type Command = (typeof COMMANDS)[number]

/** `control`: what was asked of the runner that holds the thread, and is not done yet. */
export type ControlState = { status: ThreadStatus; control: 'pause' | 'kill' | null }

/** What a command does to a thread in this state. `effect`: whether that is all (`done`), or a runner has to do it (`requested`). */
export type Decision =
  | { do: 'nothing'; effect: 'done' | 'requested' }
  | { do: 'move'; effect: 'done'; to: 'paused' | 'queued'; event: 'paused' | 'resumed' }
  | { do: 'ask'; effect: 'done' | 'requested'; to: 'pause' | 'kill' | null; event: Asking }
  | { do: 'end'; effect: 'done' }
  | { do: 'retry'; effect: 'done' }
  | { do: 'remove'; effect: 'done' }
  | { do: 'refuse'; why: string }
export type Asking = 'pause_requested' | 'pause_cancelled' | 'kill_requested'

/** The table of commands: each status by each command. Pure. */
export function decide(now: ControlState, command: Command): Decision {
  switch (command) {
    case 'pause':
      return pause(now)
    case 'resume':
      return resume(now)
    case 'kill':
      return kill(now)
    case 'retry':
      return retry(now)
    case 'remove':
      if (now.status === 'running') return refuse('It is running: kill it first, and remove it when it has ended.')
      return { do: 'remove', effect: 'done' }
  }
}

/** The state after a decision; null: the thread is no more. Pure. */
export function evolve(now: ControlState, decision: Decision): ControlState | null {
  switch (decision.do) {
    case 'nothing':
    case 'refuse':
      return now
    case 'move':
      return { status: decision.to, control: null }
    case 'ask':
      return { status: now.status, control: decision.to }
    case 'end':
      return { status: 'killed', control: null }
    case 'retry':
      return { status: 'queued', control: null }
    case 'remove':
      return null
  }
}

function pause({ status, control }: ControlState): Decision {
  if (isFinished(status)) return refuse('It has ended: there is nothing to pause.')
  if (status === 'paused') return { do: 'nothing', effect: 'done' }
  if (status !== 'running') return { do: 'move', effect: 'done', to: 'paused', event: 'paused' }
  if (control === 'kill') return refuse('It is being killed, which cannot be taken back: retry it when it has ended.')
  if (control === 'pause') return { do: 'nothing', effect: 'requested' }
  return { do: 'ask', effect: 'requested', to: 'pause', event: 'pause_requested' }
}

function resume({ status, control }: ControlState): Decision {
  if (isFinished(status)) return refuse('It has ended: retry it if it failed or was killed, or fork it.')
  if (status === 'paused') return { do: 'move', effect: 'done', to: 'queued', event: 'resumed' }
  if (status === 'queued') return refuse('It is queued already, and runs as soon as a runner takes it.')
  if (status === 'waiting') return refuse('It waits, and goes on by itself when it is answered or its time comes.')
  if (control === 'kill') return refuse('It is being killed, which cannot be taken back: retry it when it has ended.')
  if (control === null) return refuse('It is running, and nobody asked it to pause.')
  return { do: 'ask', effect: 'done', to: null, event: 'pause_cancelled' }
}

function kill({ status, control }: ControlState): Decision {
  if (isFinished(status)) return refuse('It has ended: there is nothing to kill.')
  if (status !== 'running') return { do: 'end', effect: 'done' }
  if (control === 'kill') return { do: 'nothing', effect: 'requested' }
  return { do: 'ask', effect: 'requested', to: 'kill', event: 'kill_requested' }
}

function retry({ status }: ControlState): Decision {
  if (status === 'failed' || status === 'killed') return { do: 'retry', effect: 'done' }
  if (status === 'completed') return refuse('It has completed, so there is nothing to try again: fork it.')
  if (status === 'dropped') return refuse('It never ran: start a new thread.')
  return refuse('It has not ended: kill it first.')
}

function refuse(why: string): Decision {
  return { do: 'refuse', why }
}
