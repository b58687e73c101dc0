import { pathToFileURL } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { bundledThread } from '../build/bundle.ts'
import { LongestFirst } from './support/longest-first.ts'
import { compileCache } from './support/service-process.ts'
import { SlowestReporter } from './support/slowest-reporter.ts'

// biome-ignore lint/style/noProcessEnv: for the processes that run the tests, and those that they start
process.env['NODE_COMPILE_CACHE'] ??= compileCache

/** Threads and child processes start with their file in the bundle: loading the sources takes two to ten times as long. */
const bundledThreads: Plugin = {
  name: 'bundled threads',
  enforce: 'pre',
  transform: (code, file) =>
    code.replace(/new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g, (written, name) => {
      const thread = bundledThread(file, name)
      return thread === undefined ? written : `new URL('${pathToFileURL(thread)}')`
    }),
}

/** Tests stand by feature; the ending of a file's name says what it needs. Files of a project share their processes. */
const project = (
  name: string,
  endings: readonly string[],
  {
    testTimeout,
    globalSetup = [],
    plugins = [],
  }: { readonly testTimeout: number; readonly globalSetup?: string[]; readonly plugins?: Plugin[] },
) => ({
  plugins,
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
        plugins: [bundledThreads],
      }),
    ],
  },
})
