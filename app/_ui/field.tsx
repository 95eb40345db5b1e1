import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn'

const control =
  'w-full rounded-md border border-field-line/70 bg-surface px-2.5 text-base text-ink placeholder:text-ink-faint hover:border-field-line disabled:opacity-60 aria-invalid:border-danger'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(control, 'h-8', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cn(control, 'min-h-24 py-1.5', className)} {...props} />
}

export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select className={cn(control, 'h-8 pr-6', className)} {...props} />
}

/** A label, its control, a hint and an error; the control must have `id` and, with an error, `aria-describedby={id-note}`. */
export function Field(props: {
  id: string
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  required?: boolean
  children: ReactNode
}) {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={props.id} className="text-sm font-medium text-ink">
        {props.label}
        {props.required === true && (
          <span className="text-danger" title="required">
            {' '}
            *
          </span>
        )}
      </label>
      {props.children}
      {props.error !== undefined ? (
        <p id={`${props.id}-note`} role="alert" className="text-sm text-danger">
          {props.error}
        </p>
      ) : (
        props.hint !== undefined && (
          <p id={`${props.id}-note`} className="text-sm text-ink-faint">
            {props.hint}
          </p>
        )
      )}
    </div>
  )
}
