import { AppError } from '@/server/kernel/errors'
import { cursorSchema } from './records'

/** How far a reader is in each of a thread's three sequences; a cursor is its text. */
export type Position = { height: number; event: number; log: number }

export const BEGINNING: Position = { height: 0, event: 0, log: 0 }

export function formatCursor(position: Position): string {
  return `${position.height}.${position.event}.${position.log}`
}

export function parseCursor(cursor: string): Position {
  const parsed = cursorSchema.safeParse(cursor)
  const [height, event, log] = parsed.success ? parsed.data.split('.').map(Number) : []
  if (height === undefined || event === undefined || log === undefined) {
    throw new AppError('BAD_INPUT', `${cursor} is not a cursor. Give one that an earlier record carried.`, {
      field: 'after',
    })
  }
  return { height, event, log }
}
