import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/longest-first.ts'
import { SlowestReporter } from './support/slowest-reporter.ts'

/** Tests stand by feature; the ending of a file's name says what it needs, and so its project. */
const project = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/**/*.${name}.test.ts`],
    exclude: ['test/clients/**'],
    testTimeout,
    hookTimeout: 120_000,
    // What a test waits for comes at once, unless other work has the processors.
    expect: { poll: { timeout: 15_000 } },
    // A process for every file would load the program and its vocabulary again; no test replaces a module.
    isolate: false,
  },
})

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-server.ts'],
    // Most tests wait for a socket or a timer: more of them at once than there are processors halves the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SlowestReporter()],
    projects: [
      project('unit', 60_000),
      project('db', 60_000),
      project('http', 60_000),
      project('e2e', 120_000),
      project('browser', 120_000),
    ],
  },
})
