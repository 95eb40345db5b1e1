import { ShieldAlert, ShieldCheck, ShieldQuestion } from 'lucide-react'
import Link from 'next/link'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { CopyButton } from '@/app/_ui/copy-button'
import { formatBytes, formatDuration, plural } from '@/app/_ui/format'
import { Facts, Panel } from '@/app/_ui/panel'
import type { Verification } from './use-verification'

function isSound(verification: Verification): boolean | null {
  if (verification.state !== 'done') return null
  return verification.report.ok && verification.problems.length === 0
}

/** One word on the thread's integrity; the panel tells the rest. */
export function VerifyBadge({ verification, steps }: { verification: Verification; steps: number }) {
  const sound = isSound(verification)
  const Icon = sound === null ? ShieldQuestion : sound ? ShieldCheck : ShieldAlert
  const isPartial = verification.state === 'done' && verification.checked < steps
  const text =
    verification.state === 'busy'
      ? `verifying ${verification.checked}/${verification.of}`
      : sound === null
        ? 'not verified yet'
        : sound
          ? isPartial
            ? `verified to step ${verification.checked}`
            : 'verified'
          : 'damaged'
  return (
    <a
      href="#integrity"
      data-verified={sound === null ? verification.state : sound ? 'ok' : 'damaged'}
      className={cn(
        'inline-flex h-6 items-center gap-1.5 rounded-full px-2 text-sm font-medium',
        sound === null && 'bg-raised text-ink-soft',
        sound === true && 'bg-completed/10 text-completed',
        sound === false && 'bg-failed/10 text-failed',
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {text}
    </a>
  )
}

export function VerifyPanel({ verification, onVerify }: { verification: Verification; onVerify: () => void }) {
  return (
    <Panel
      title={<span id="integrity">Integrity</span>}
      aside={
        <Button size="small" onClick={onVerify} disabled={verification.state === 'busy'}>
          {verification.state === 'busy' ? 'Verifying…' : verification.state === 'idle' ? 'Verify' : 'Verify again'}
        </Button>
      }
    >
      {verification.state === 'idle' && (
        <p className="text-sm text-ink-soft">
          The server recomputes the hash and digest of every node; this browser hashes anew what it shows.
        </p>
      )}
      {verification.state === 'busy' && (
        <p role="status" className="text-sm text-ink-soft">
          {verification.checked} of {plural(verification.of, 'step')} hashed in this browser…
        </p>
      )}
      {verification.state === 'broken' && (
        <p role="alert" className="text-sm whitespace-pre-line text-danger">
          {verification.message}
        </p>
      )}
      {verification.state === 'done' && <Result verification={verification} />}
    </Panel>
  )
}

function Result({ verification }: { verification: Extract<Verification, { state: 'done' }> }) {
  const { report, checked, problems } = verification
  return (
    <div className="grid gap-3">
      <Facts
        rows={[
          [
            'Server',
            <span key="server" className={report.ok ? 'text-completed' : 'text-failed'}>
              {report.ok ? `${plural(report.nodes, 'node')} fit` : `${plural(report.findings.length, 'damaged node')}`}
            </span>,
          ],
          [
            'Browser',
            <span key="browser" className={problems.length === 0 ? 'text-completed' : 'text-failed'}>
              {problems.length === 0
                ? `${plural(checked, 'step')} hashed, all fit`
                : plural(problems.length, 'problem')}
            </span>,
          ],
          ['Read', `${formatBytes(report.bytes)} in ${formatDuration(report.durationMs)}`],
          ...(report.headDigest === null
            ? []
            : ([
                [
                  'Digest',
                  <span key="digest" className="flex items-center font-mono text-xs" title={report.headDigest}>
                    {report.headDigest.slice(0, 16)}…
                    <CopyButton text={report.headDigest} label="digest of the whole history" />
                  </span>,
                ],
              ] satisfies [string, React.ReactNode][])),
        ]}
      />
      {report.findings.length > 0 && (
        <ul className="grid gap-1 text-sm">
          {report.findings.map((finding) => (
            <li key={`${finding.hash}-${finding.problem}`} className="[overflow-wrap:anywhere]">
              <Link href={`/cas/${finding.hash}`} className="font-mono text-accent hover:underline">
                {finding.hash}
              </Link>{' '}
              {finding.message}
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <ul className="grid gap-1 text-sm">
          {problems.map(({ step, problem }) => (
            <li key={step}>
              <a href={`#step-${step}`} className="text-accent hover:underline">
                Step {step}
              </a>
              : {problem}.
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
