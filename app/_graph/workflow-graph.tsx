'use client'

import dynamic from 'next/dynamic'
import { Skeleton } from '@/app/_ui/skeleton'
import type { FlowCanvasProps } from './flow-canvas'

const FlowCanvas = dynamic(() => import('./flow-canvas'), {
  ssr: false,
  loading: () => <Skeleton className="size-full" />,
})

/** The workflow's graph; the library that draws it loads after the page. Fills its parent, which must have a height. */
export function WorkflowGraph(props: FlowCanvasProps) {
  return <FlowCanvas {...props} />
}
