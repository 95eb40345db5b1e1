import type { TestProject } from 'vitest/node'
import { startTestServer } from './test-server'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A migrated database: the template of every test database. Nobody may stay connected to it. */
    templateUrl: string
  }
}

/** One server a test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer()
  project.provide('templateUrl', server.url)
  return server.stop
}
