'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Hash, Play, Workflow } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { Dialog } from 'radix-ui'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { StatusIcon } from '@/app/_ui/status-badge'
import { PAGES } from './nav-links'
import { targetOf } from './palette-target'

const SHOWN = 7

/** Goes to a page, a workflow or a thread by name, id, hash or words of its prompt. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const trpc = useTRPC()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const asked = useDeferredValue(text.trim())
  const workflows = useQuery(trpc.workflow.list.queryOptions({ limit: 200 }))
  const threads = useQuery(
    trpc.thread.list.queryOptions(
      { limit: SHOWN, ...(asked === '' ? {} : { text: asked.slice(0, 200) }) },
      { placeholderData: keepPreviousData },
    ),
  )
  const target = targetOf(text)
  const word = asked.toLowerCase()
  const pages = PAGES.filter((page) => page.label.toLowerCase().includes(word))
  const named = (workflows.data?.items ?? []).filter((workflow) => workflow.name.includes(word)).slice(0, SHOWN)
  const found = threads.data?.items ?? []
  // In the order in which they are shown. What was chosen may be gone with the next key: then the first is.
  const hrefs = [
    ...(target === null ? [] : [target.href]),
    ...pages.map((page) => page.href),
    ...named.map(({ name }) => `/workflows/${name}`),
    ...(word === '' ? [] : named.map(({ name }) => `/workflows/${name}/run`)),
    ...found.map((thread) => `/threads/${thread.id}`),
  ]
  const selected = hrefs.includes(chosen) ? chosen : (hrefs[0] ?? '')
  const go = (href: string) => {
    onClose()
    router.push(href)
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[10vh] left-1/2 z-50 w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-surface shadow-overlay"
        >
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <Command shouldFilter={false} label="Go to" loop value={selected} onValueChange={setChosen}>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="A workflow, a thread id, a hash, words of a prompt…"
              className="h-12 w-full border-b border-line bg-transparent px-4 text-lg placeholder:text-ink-faint focus:outline-none"
            />
            <Command.List className="max-h-[55vh] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-faint">
              <Command.Empty className="px-3 py-8 text-center text-ink-faint">
                {threads.isFetching ? 'Searching…' : 'Nothing has this name, id or text.'}
              </Command.Empty>
              {target !== null && (
                <Item value={target.href} onSelect={go} icon={<Hash aria-hidden className="size-4 text-ink-faint" />}>
                  <span className="truncate font-mono text-sm">{target.label}</span>
                </Item>
              )}
              {pages.length > 0 && (
                <Command.Group heading="Pages">
                  {pages.map((page) => (
                    <Item
                      key={page.href}
                      value={page.href}
                      onSelect={go}
                      icon={<page.icon aria-hidden className="size-4 text-ink-faint" />}
                    >
                      {page.label}
                    </Item>
                  ))}
                </Command.Group>
              )}
              {named.length > 0 && (
                <Command.Group heading="Workflows">
                  {named.map(({ name }) => (
                    <Item
                      key={name}
                      value={`/workflows/${name}`}
                      onSelect={go}
                      icon={<Workflow aria-hidden className="size-4 text-ink-faint" />}
                    >
                      {name}
                    </Item>
                  ))}
                  {word !== '' &&
                    named.map(({ name }) => (
                      <Item
                        key={name}
                        value={`/workflows/${name}/run`}
                        onSelect={go}
                        icon={<Play aria-hidden className="size-4 text-ink-faint" />}
                      >
                        Run {name}
                      </Item>
                    ))}
                </Command.Group>
              )}
              {found.length > 0 && (
                <Command.Group heading={asked === '' ? 'Newest threads' : 'Threads'}>
                  {found.map((thread) => (
                    <Item
                      key={thread.id}
                      value={`/threads/${thread.id}`}
                      onSelect={go}
                      icon={<StatusIcon status={thread.status} />}
                    >
                      <span className="shrink-0">{thread.workflow}</span>
                      <span className="min-w-0 truncate text-ink-faint">{thread.excerpt}</span>
                    </Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Item(props: { value: string; onSelect: (value: string) => void; icon: ReactNode; children: ReactNode }) {
  return (
    <Command.Item
      value={props.value}
      onSelect={() => props.onSelect(props.value)}
      className="flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 data-[selected=true]:bg-raised"
    >
      {props.icon}
      {props.children}
    </Command.Item>
  )
}
