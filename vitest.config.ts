import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

// Read by server/kernel/log in this process and, inherited, in the workers.
process.env.CAIRN_LOG ??= 'silent'

const exclude = [...configDefaults.exclude, '**/.next/**', '**/.cairn/**', 'e2e/**']

/** `unit` needs nothing; `db` starts one embedded Postgres a run and gives each file a database of its own. */
export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '') } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...exclude, '**/*.db.test.ts'],
          testTimeout: 10_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: ['**/*.db.test.ts'],
          exclude,
          globalSetup: './db/testing/global-setup.ts',
          pool: 'forks',
          maxWorkers: 2,
          // After the unit tests: projects that differ in workers cannot share a turn.
          sequence: { groupOrder: 1 },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
