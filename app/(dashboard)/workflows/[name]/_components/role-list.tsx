'use client'

import { useEffect, useRef } from 'react'
import { cn } from '@/app/_ui/cn'
import { JsonTree } from '@/app/_ui/json-tree'
import { Panel } from '@/app/_ui/panel'
import type { Descriptor } from '@/server/registry/views'

/** Every role with what it does and the schema of its meta; goes to the chosen one. */
export function RoleList({ descriptor, chosen }: { descriptor: Descriptor; chosen: string | null }) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (chosen === null) return
    const found = [...(list.current?.children ?? [])].find((item) => item.getAttribute('data-role') === chosen)
    found?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <Panel title="Roles" bodyClassName="p-0">
      <ul ref={list} className="divide-y divide-line">
        {Object.entries(descriptor.roles).map(([name, role]) => (
          <li key={name} data-role={name} className={cn('px-4 py-3', name === chosen && 'bg-accent-tint')}>
            <h3 className="font-semibold">{name}</h3>
            <p className="text-ink-soft">{role.description}</p>
            <div className="mt-1">
              <JsonTree name="schema of its meta" value={role.schema} openTo={0} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
