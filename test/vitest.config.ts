import { defineConfig } from 'vitest/config'

const project = (name: string, testTimeout: number) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: 30_000 },
})

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-server.ts'],
    // Most tests wait for a socket or a timer: more of them at once than there are processors halves the time.
    maxWorkers: 3,
    projects: [
      project('unit', 20_000),
      project('db', 20_000),
      project('http', 20_000),
      project('e2e', 60_000),
      project('web', 60_000),
      project('security', 60_000),
    ],
  },
})
