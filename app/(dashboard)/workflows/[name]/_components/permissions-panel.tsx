'use client'

import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/app/_ui/button'
import { Panel } from '@/app/_ui/panel'
import type { WorkflowDetail } from '@/server/registry/views'
import { permissionRows } from '../_model/permission-rows'
import { GrantDialog } from './grant-dialog'

/** What the current version asks for and what it was granted. */
export function PermissionsPanel({ workflow }: { workflow: WorkflowDetail }) {
  const [command, setCommand] = useState<string | null>(null)
  const rows = permissionRows(workflow)
  return (
    <Panel title={<span id="permissions">Permissions</span>} bodyClassName="p-0">
      {rows.length === 0 ? (
        <p className="p-4 text-ink-soft">It asks for nothing: it runs no commands.</p>
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li key={row.command} data-permission={row.command} className="flex items-start gap-3 px-4 py-3">
              {row.folders === null ? (
                <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-paused" />
              ) : (
                <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-completed" />
              )}
              <div className="min-w-0 flex-1">
                <p>
                  run <code className="font-mono text-sm font-semibold">{row.command}</code>
                </p>
                <p className="text-sm [overflow-wrap:anywhere] text-ink-faint">
                  {row.folders === null
                    ? 'asked for, not granted'
                    : row.folders.length === 0
                      ? 'granted in any folder'
                      : `granted in ${row.folders.join(', ')}`}
                  {!row.isAsked && '; this version does not ask for it'}
                </p>
              </div>
              <Button size="small" onClick={() => setCommand(row.command)}>
                {row.folders === null ? 'Grant…' : 'Change…'}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {command !== null && <GrantDialog workflow={workflow} command={command} onClose={() => setCommand(null)} />}
    </Panel>
  )
}
