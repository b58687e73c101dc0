import { expect, test } from 'vitest'
import { tellingLines } from '../../src/db/embedded/cluster.ts'

test('a full disk is named, though the log ends with lines about the shutdown', () => {
  const log = [
    '2026-11-26 21:00:20 UTC [46] FATAL:  could not write to file "pg_wal/xlogtemp.46": No space left on device',
    '2026-11-26 21:00:20 UTC [39] LOG:  startup process (PID 46) exited with exit code 1',
    '2026-11-26 21:00:20 UTC [39] LOG:  terminating any other active server processes',
    '2026-11-26 21:00:20 UTC [39] LOG:  shutting down due to startup process failure',
    '2026-11-26 21:00:20 UTC [39] LOG:  database system is shut down',
  ]
  expect(tellingLines(`${log.join('\n')}\n`)).toBe(log[0])
})

test('the long output of initdb is cut to its errors and hints', () => {
  const output = [
    'The files belonging to this database system will be owned by user "postgres".',
    'creating subdirectories ... ok',
    'running bootstrap script ... 2026-11-26 [54] FATAL:  could not extend file "base/1/2691": No space left on device',
    '2026-11-26 [54] HINT:  Check free disk space.',
    'Aborted',
    'initdb: removing contents of data directory "/data/postgres.new"',
  ]
  expect(tellingLines(output.join('\n'))).toBe(`${output[2]} ${output[3]}`)
})

test('output without an error ends with its last lines', () => {
  expect(tellingLines('a\nb\nc\nd\n')).toBe('b c d')
})
