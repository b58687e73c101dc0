import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-server.ts'],
    include: ['test/clients/*/*.test.ts'],
    // They wait most of the time: for their next attempts, and for a model that is told when to go on.
    maxWorkers: 2,
    // Clients wait between their attempts: the tests of a file wait together.
    maxConcurrency: 8,
    silent: 'passed-only',
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
})
