'use client'

import { Hourglass } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import { HashChip } from '@/app/_ui/hash-chip'
import { LazyMarkdown } from '@/app/_ui/lazy-markdown'
import { Facts } from '@/app/_ui/panel'
import { ClockTime, Until } from '@/app/_ui/time'
import type { WaitView } from '@/server/threads/views'
import { answerersText } from '../_model/answerers'
import { ThreadStatusList } from './thread-status-list'

/** Few threads wait for a person: the form loads when one does. */
const AnswerForm = dynamic(() => import('./answer-form'))

const TITLES = { input: 'It waits for an answer', until: 'It waits for a time', threads: 'It waits for other threads' }
const MODES = {
  all: 'until all have ended',
  any: 'until one has ended',
  success: 'until one has completed, or all have ended',
}

/** What the thread waits for, and the form that answers it. `isPaused`: an answer is taken, but it goes on only when resumed. */
export function WaitingPanel({ threadId, wait, isPaused }: { threadId: string; wait: WaitView; isPaused: boolean }) {
  return (
    <section
      aria-label="Waiting"
      data-wait={wait.kind}
      className="mb-4 rounded-lg border border-waiting/40 bg-waiting/5 px-4 py-3"
    >
      <h2 className="flex items-center gap-2 font-semibold text-waiting">
        <Hourglass aria-hidden className="size-4 shrink-0" />
        {TITLES[wait.kind]}
      </h2>
      {wait.prompt !== null && (
        <div className="mt-1">
          <LazyMarkdown text={wait.prompt} />
        </div>
      )}
      {isPaused && <p className="mt-1 text-ink-soft">It is paused: it goes on after this only when it is resumed.</p>}
      <Facts className="mt-2" rows={factsOf(wait)} />
      {wait.kind === 'input' && (
        <div className="mt-3 border-t border-line pt-3">
          <AnswerForm key={wait.key} threadId={threadId} wait={wait} />
        </div>
      )}
      {wait.kind === 'threads' && (
        <div className="mt-3">
          <ThreadStatusList label="Threads that it waits for" ids={wait.targets} />
        </div>
      )}
    </section>
  )
}

function factsOf(wait: WaitView): [string, ReactNode][] {
  const rows: [string, ReactNode][] = []
  if (wait.kind === 'input') {
    if (wait.subject !== null) {
      rows.push(['About', <HashChip key="subject" hash={wait.subject} href={`/cas/${wait.subject}`} whole />])
    }
    rows.push(['May answer', answerersText(wait.answerers)])
    if (wait.name !== 'input') rows.push(['Name', wait.name])
  }
  if (wait.kind === 'threads')
    rows.push(['Goes on', wait.targets.length === 1 ? 'when it has ended' : MODES[wait.mode]])
  rows.push(['Since', <ClockTime key="since" at={wait.createdAt} withDate />])
  if (wait.wakeAt !== null) {
    rows.push([
      wait.kind === 'until' ? 'Goes on' : 'Times out',
      <span key="at">
        <ClockTime at={wait.wakeAt} withDate />, <Until at={wait.wakeAt} />
      </span>,
    ])
  }
  return rows
}
