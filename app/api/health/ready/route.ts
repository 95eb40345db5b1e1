import { services } from '@/server/api/services'
import { env } from '@/server/kernel/env'
import { readyResponse } from '@/server/ops/health'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export function GET(): Promise<Response> {
  return readyResponse(
    () => services().db,
    () => env().CAIRN_INSTANCE,
  )
}
