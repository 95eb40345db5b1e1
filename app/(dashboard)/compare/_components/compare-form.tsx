'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '@/app/_ui/button'
import { Field, Input } from '@/app/_ui/field'
import { PageHeader } from '@/app/_ui/page-header'

const THREAD_ID = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** Asks which two threads to compare. */
export function CompareForm({ a, b }: { a: string; b: string }) {
  const router = useRouter()
  const [ids, setIds] = useState({ a, b })
  const control = (side: 'a' | 'b', label: string) => (
    <Field id={`compare-${side}`} label={label} hint="Its id, as its page shows it">
      <Input
        id={`compare-${side}`}
        aria-describedby={`compare-${side}-note`}
        className="font-mono"
        required
        pattern={THREAD_ID}
        title="A thread id: 26 characters"
        spellCheck={false}
        value={ids[side]}
        onChange={(event) => setIds({ ...ids, [side]: event.target.value.trim().toUpperCase() })}
      />
    </Field>
  )
  return (
    <form
      className="max-w-xl"
      onSubmit={(event) => {
        event.preventDefault()
        router.push(`/compare?a=${ids.a}&b=${ids.b}`)
      }}
    >
      <PageHeader title="Compare" about="Two threads side by side, from where they part." />
      <div className="grid gap-4">
        {control('a', 'First thread')}
        {control('b', 'Second thread')}
        <Button type="submit" look="solid" className="w-fit">
          Compare
        </Button>
      </div>
    </form>
  )
}
