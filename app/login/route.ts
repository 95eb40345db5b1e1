import { loginResponse } from '@/server/access/login'
import { services } from '@/server/api/services'
import { env } from '@/server/kernel/env'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export function GET(request: Request): Promise<Response> {
  return loginResponse(services().db, request, env().CAIRN_PORT)
}
