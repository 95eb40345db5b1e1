import { defineConfig, devices } from '@playwright/test'
import { BROWSER, browserEnvironment } from './e2e/support/browser'

const isCi = process.env.CI !== undefined
/** Beside what a person reads, a report that npm test counts. */
const reportFile = process.env.CAIRN_TEST_REPORT
/** A folder for pictures of the pages, for a person to look at; without it none are made. */
const pictures = process.env.CAIRN_PICTURES

export default defineConfig({
  testDir: 'e2e',
  ...(pictures === undefined ? { testIgnore: 'pictures.spec.ts' } : {}),
  outputDir: 'test-results',
  globalSetup: './e2e/global-setup.ts',
  // One Cairn serves all specs, and one of them stops its web server: they take turns.
  workers: 1,
  fullyParallel: false,
  forbidOnly: isCi,
  retries: isCi ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: reportFile ? [['list'], ['json', { outputFile: reportFile }]] : 'list',
  use: {
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: BROWSER,
      env: browserEnvironment(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
    },
  },
  projects: [
    { name: 'desktop', use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 1400 } } },
    {
      name: 'phone',
      use: { ...devices['Pixel 7'] },
      testMatch: ['pages.spec.ts', 'start.spec.ts', 'pictures.spec.ts'],
    },
  ],
})
