'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Search, Tag, X } from 'lucide-react'
import { type ComponentProps, useEffect, useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { Button } from '@/app/_ui/button'
import { Input, Select } from '@/app/_ui/field'
import { CheckMenu } from '@/app/_ui/menu'
import { StatusIcon } from '@/app/_ui/status-badge'
import { THREAD_STATUSES } from '@/server/threads/status'
import { isFiltered, type ThreadFilter } from '../_model/thread-filter'

const NOTHING: ThreadFilter = { workflow: '', status: [], text: '', tag: '' }

const STATUS_OPTIONS = THREAD_STATUSES.map((status) => ({
  value: status,
  label: (
    <>
      <StatusIcon status={status} />
      {status}
    </>
  ),
}))

export function ThreadFilters(props: { filter: ThreadFilter; onChange: (filter: ThreadFilter) => void }) {
  const { filter, onChange } = props
  const trpc = useTRPC()
  const workflows = useQuery(trpc.workflow.list.queryOptions({ limit: 200 }))
  const names = (workflows.data?.items ?? []).map((workflow) => workflow.name)
  if (filter.workflow !== '' && !names.includes(filter.workflow)) names.unshift(filter.workflow)

  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <SlowInput
        icon={<Search aria-hidden />}
        aria-label="Words of the prompt"
        placeholder="Words of the prompt"
        value={filter.text}
        onSettled={(text) => onChange({ ...filter, text })}
        className="min-w-40 flex-1 md:max-w-72"
      />
      <Select
        aria-label="Workflow"
        className="w-auto min-w-32 max-w-44"
        value={filter.workflow}
        onChange={(event) => onChange({ ...filter, workflow: event.target.value })}
      >
        <option value="">Every workflow</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <CheckMenu
        options={STATUS_OPTIONS}
        chosen={filter.status}
        onChange={(status) => onChange({ ...filter, status })}
        trigger={
          <Button className="font-normal">
            {filter.status.length === 0 ? 'Every status' : filter.status.join(', ')}
            <ChevronDown aria-hidden className="text-ink-faint" />
          </Button>
        }
      />
      <SlowInput
        icon={<Tag aria-hidden />}
        aria-label="Tag"
        placeholder="Tag"
        value={filter.tag}
        onSettled={(tag) => onChange({ ...filter, tag })}
        className="w-28"
      />
      {isFiltered(filter) && (
        <Button look="quiet" onClick={() => onChange(NOTHING)}>
          <X aria-hidden />
          Clear
        </Button>
      )}
    </search>
  )
}

const PAUSE_MS = 250

/** Tells its text only when typing pauses, so that each key is not a query. */
function SlowInput(
  props: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
    icon: React.ReactNode
    value: string
    onSettled: (text: string) => void
  },
) {
  const { icon, value, onSettled, className, ...rest } = props
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // The address changed by another way (back, clear): take its text.
  if (known !== value) {
    setKnown(value)
    if (text.trim() !== value) setText(value)
  }
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onSettled(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value, onSettled])
  return (
    <span className={`relative ${className ?? ''}`}>
      <span className="pointer-events-none absolute inset-y-0 left-2 grid place-items-center text-ink-faint [&_svg]:size-4">
        {icon}
      </span>
      <Input type="search" {...rest} value={text} onChange={(event) => setText(event.target.value)} className="pl-8" />
    </span>
  )
}
