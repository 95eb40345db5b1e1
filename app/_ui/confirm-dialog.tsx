'use client'

import { type ReactNode, useId, useState } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import { Field, Textarea } from './field'

/** Longest reason that a command takes. */
const MAX_REASON = 1_000

/** Asks before something that cannot be taken back, and for a word on why. Stays open when it was refused, with the sentence. */
export function ConfirmDialog(props: {
  title: string
  about: ReactNode
  /** What the button says: the deed itself. */
  confirm: string
  look?: 'danger' | 'solid'
  /** Where the reason will be read. */
  reasonHint: string
  error: string | null
  isBusy: boolean
  /** Null when no reason was given. */
  onConfirm: (reason: string | null) => void
  onClose: () => void
}) {
  const id = useId()
  const [reason, setReason] = useState('')
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title={props.title} about={props.about}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          props.onConfirm(reason.trim() === '' ? null : reason.trim())
        }}
      >
        <Field id={id} label="Reason" hint={props.reasonHint}>
          <Textarea
            id={id}
            aria-describedby={`${id}-note`}
            className="min-h-16"
            maxLength={MAX_REASON}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        {props.error !== null && (
          <p role="alert" className="text-sm whitespace-pre-line text-danger">
            {props.error}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button type="submit" look={props.look ?? 'danger'} disabled={props.isBusy}>
            {props.confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
