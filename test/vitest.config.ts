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

// biome-ignore lint/style/noProcessEnv: a switch of the tests alone
const isUnit = process.env['TESTS'] === 'unit'

/** Tests stand by feature; the ending of a file's name says what it needs. */
const endings = isUnit ? ['unit'] : ['unit', 'db', 'http', 'e2e', 'browser']

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  // The bundle, and one Postgres with all migrations. A run of unit tests alone makes neither.
  plugins: isUnit ? [] : [bundledThreads],
  test: {
    include: endings.map((ending) => `test/**/*.${ending}.test.ts`),
    exclude: ['test/clients/**'],
    globalSetup: isUnit ? [] : ['test/support/postgres-server.ts'],
    // What a test waits for comes at once, unless other work has the processors: at a load of 20 all takes 20 times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // A process for every file would load the program and its vocabulary again; no test replaces a module.
    isolate: false,
    // Most tests wait for a socket or a timer, and each process takes four seconds of processor time to load the program.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SlowestReporter()],
  },
})
