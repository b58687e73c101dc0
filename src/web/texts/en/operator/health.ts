import { html } from 'hono/html'
import { counter } from '../../grammar/plural.ts'

const count = counter('en')

/** `/operator/health`: the state of the service. */
export const health = {
  well: 'The service is well.',
  needsAttention: (parts: string) => `Needs attention: ${parts}.`,
  now: 'Now',
  database: 'Database',
  postgres: (version: string, ms: number) => `Postgres ${version}, answers in ${ms} ms`,
  databaseSize: 'Database size',
  connections: 'Connections',
  started: 'Started',
  running: 'Turns running',
  queued: 'Turns queued',
  orphaned: 'Turns without an owner',
  libraryDatabase: 'Library database',
  index: 'Search index',
  notKnown: 'not known',
  complete: 'complete',
  notIndexed: count({ one: '1 text not indexed yet', other: (n) => `${n} texts not indexed yet` }),
  oldest: (duration: string) => `oldest: ${duration}`,
  orphanNote: `When a process fails, another process takes over its turns within about 20 seconds. If turns stay without
an owner longer, no process takes turns.`,
  noProcess: 'No process is running a turn.',
  processes: 'Processes',
  process: 'Process',
  turns: 'Turns',
  lease: 'Lease until',
  ledger: 'Ledger checks',
  runChecks: 'Run the checks now',
  never: 'Not checked yet. The checks run every ten minutes.',
  lastCheck: (passed: number, checks: number, ago: string) =>
    `Last check: ${passed} of ${checks} passed, ${ago} ago.`,
  failed: (failed: number, total: number) => `${failed} of ${total} checks failed.`,
  notRun: (notRun: number, total: number) => `${notRun} of ${total} checks could not run.`,
  failures: 'Failures in the last 24 hours',
  noFailures: 'No turn failed',
  ended: count({
    one: '1 turn ended in the last 24 hours.',
    other: (n) => `${n} turns ended in the last 24 hours.`,
  }),
  failedOf: (failed: string, ended: number, codes: unknown) => html`${failed} of ${ended} failed: ${codes}.`,
  failureTable: 'Failures',
  code: 'Code',
  message: 'Message',
  largest: 'Largest tables',
  table: 'Table',
  rows: 'Rows, about',
  size: 'Size with indexes',
  notCounted: 'not counted yet',
}
