import { handleApiRequest } from '@/server/api/handle'
import { requestContext } from '@/server/api/request-context'

/** Node, because of Postgres; never cached, never rendered ahead. */
export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export function GET(request: Request): Promise<Response> {
  return handleApiRequest(request, requestContext(request.headers, 'read'))
}

export function POST(request: Request): Promise<Response> {
  return handleApiRequest(request, requestContext(request.headers, 'write'))
}
