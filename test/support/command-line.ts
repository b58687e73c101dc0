import { Writable } from 'node:stream'
import { pino } from 'pino'
import { runCommand } from '../../src/commands/commands.ts'
import { readConfig } from '../../src/config.ts'
import type { TestDatabase } from './database.ts'
import { pepperText } from './world/accounts.ts'

/** Runs a command as the command line does. @returns what it prints. @throws what it is refused with. */
export async function runLine(
  db: Pick<TestDatabase, 'url'>,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await runForCode(db, words, env)).printed
}

/** Like `runLine`, with the exit code. */
export async function runForCode(
  db: Pick<TestDatabase, 'url'>,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly printed: string; readonly exitCode: number }> {
  let printed = ''
  const out = new Writable({
    write(chunk, _, done) {
      printed += String(chunk)
      done()
    },
  })
  const config = readConfig({ DATABASE_URL: db.url, KEY_PEPPER: pepperText, ...env })
  const exitCode = await runCommand(words, config, pino({ level: 'silent' }), out)
  return { printed, exitCode }
}
