import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../src/commands/commands.ts'
import { readUsage } from '../../src/commands/usage.ts'
import { readConfig } from '../../src/config.ts'

async function run(...words: readonly string[]) {
  const out = new PassThrough()
  const code = await runCommand(words, readConfig({}), pino({ level: 'silent' }), out)
  return { code, text: await text(out.end()) }
}

/** Names of the commands that a help lists. */
const namesIn = (help: string) =>
  [...help.matchAll(/^ {2}(\w[\w -]*?)(?= [-A-Z["]|$)/gm)].map(([, name = '']) => name)

describe('the help of the command line', () => {
  test('lists every command when no word is given', async () => {
    const { code, text } = await run()
    expect(code).toBe(0)
    expect(namesIn(text)).toEqual(expect.arrayContaining(['keys revoke', 'doctor', 'sources import jsonl']))
  })

  test('lists only the commands that begin with the words before --help', async () => {
    expect(namesIn((await run('keys', '--help')).text)).toEqual([
      'keys create',
      'keys change',
      'keys list',
      'keys revoke',
    ])
    expect(namesIn((await run('keys', 'list', '--help')).text)).toEqual(['keys list'])
  })

  test('finds each listed command by its own words', async () => {
    for (const name of namesIn((await run()).text))
      expect(namesIn((await run(...name.split(' '), '--help')).text)).toContain(name)
  })

  test('is part of the error when a command does not exist', async () => {
    await expect(run('keys', 'nonsense')).rejects.toThrow(
      /^There is no command "keys nonsense"\.\n\n.*\n\n {2}keys create/,
    )
    await expect(run('nonsense')).rejects.toThrow(/accounts create/)
  })
})

test('a usage line says which options and words a command takes', () => {
  const usage = 'FILE [A | B_C] [--only ID]... [--x Y | --all] --to s3://BUCKET[/PREFIX]|postgres'
  expect(readUsage(usage)).toEqual({
    options: {
      only: { type: 'string', multiple: true },
      x: { type: 'string', multiple: false },
      all: { type: 'boolean' },
      to: { type: 'string', multiple: false },
    },
    required: ['to'],
    least: 1,
    most: 2,
  })
  expect(readUsage('TITLE...')).toMatchObject({ required: [], least: 1, most: 100 })
})
