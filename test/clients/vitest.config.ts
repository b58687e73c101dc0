import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-server.ts'],
    include: ['test/clients/*/*.test.ts'],
    // A process for every file would load the program again.
    isolate: false,
    // The tests mostly wait: for retries, and for a model that waits for a release.
    maxWorkers: 2,
    // The tests of a file run concurrently, because clients wait between their retries.
    maxConcurrency: 8,
    silent: 'passed-only',
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
})
