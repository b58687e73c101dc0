import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/longest-first.ts'
import { SlowestReporter } from './support/slowest-reporter.ts'

/** Tests stand by feature; the ending of a file's name says what it needs. Files of a project share their processes. */
const project = (
  name: string,
  endings: readonly string[],
  { testTimeout, globalSetup = [] }: { readonly testTimeout: number; readonly globalSetup?: string[] },
) => ({
  test: {
    name,
    include: endings.map((ending) => `test/**/*.${ending}.test.ts`),
    exclude: ['test/clients/**'],
    testTimeout,
    globalSetup,
    // What a test waits for comes at once, unless other work has the processors: at a load of 20 all takes 20 times as long.
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // A process for every file would load the program and its vocabulary again; no test replaces a module.
    isolate: false,
  },
})

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    // Most tests wait for a socket or a timer: more of them at once than there are processors halves the time.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SlowestReporter()],
    projects: [
      project('unit', ['unit'], { testTimeout: 300_000 }),
      project('integration', ['db', 'http', 'e2e', 'browser'], {
        testTimeout: 600_000,
        // The bundle, and one Postgres with all migrations. A run of unit tests alone makes neither.
        globalSetup: ['test/support/postgres-server.ts'],
      }),
    ],
  },
})
