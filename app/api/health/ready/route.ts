import { services } from '@/server/api/services'
import { readyResponse } from '@/server/ops/health'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export function GET(): Promise<Response> {
  return readyResponse(() => services().db)
}
