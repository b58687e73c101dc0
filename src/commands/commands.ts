import { parseArgs } from 'node:util'
import { type Config, ConfigError } from '../config.ts'
import { ServiceError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import type { Logger } from '../log.ts'
import { serviceCommand } from '../version/version.ts'
import type { Arguments, Command, Invocation, Output } from './command.ts'
import { readUsage } from './usage.ts'

type Commands = Readonly<Record<string, Command>>

/** The commands by their first word. Each group is loaded when it is needed: together they are most of the service. */
const groups: Readonly<Record<string, () => Promise<Commands>>> = {
  accounts: async () => {
    const [{ accountCommands }, { accessCommands }, { auditCommands }] = await Promise.all([
      import('./accounts.ts'),
      import('./access.ts'),
      import('./audit.ts'),
    ])
    return { ...accountCommands, ...accessCommands, ...auditCommands }
  },
  keys: async () => (await import('./keys.ts')).keyCommands,
  credits: async () => (await import('./credits.ts')).creditCommands,
  sources: async () => (await import('./sources.ts')).sourceCommands,
  models: async () => (await import('./models.ts')).modelCommands,
  files: async () => (await import('./files/move-files.ts')).fileCommands,
  runs: async () => (await import('./runs.ts')).runCommands,
  status: async () => (await import('./status/status.ts')).statusCommands,
  doctor: async () => (await import('./doctor.ts')).doctorCommands,
  eval: async () => (await import('./evaluation/eval.ts')).evalCommands,
  migrate: async () => ({
    migrate: {
      usage: '[--backed-up]',
      summary: 'upgrades the database schema; one of version 0.2 only with --backed-up',
      run: async () => ({ rows: { migrated: true }, lines: ['The schema is up to date.'] }),
    },
  }),
}

/** The first words of the commands that cannot work without the library. */
const libraryCommands: ReadonlySet<string> = new Set(['sources', 'eval', 'migrate'])

/**
 * Runs the command that `argv` names. Uses a running embedded Postgres; otherwise starts one for the duration
 * of the command.
 * @returns the exit code.
 * @throws ConfigError or ServiceError with one sentence for people.
 */
export async function runCommand(
  argv: readonly string[],
  config: Config,
  log: Logger,
  out: NodeJS.WritableStream,
): Promise<number> {
  const [name, command] = await find(argv)
  if (argv.length === 0 || argv.includes('--help')) {
    out.write(await helpFor(argv.filter((word) => !word.startsWith('-'))))
    return 0
  }
  if (!command) throw new ConfigError(`There is no command "${argv.join(' ')}".\n\n${await helpFor(argv)}`)
  const { values, positionals } = parse(name, command, argv.slice(name.split(' ').length))
  const given: Arguments = {
    config,
    words: positionals,
    text: (option) => (typeof values[option] === 'string' ? values[option] : undefined),
    list: (option) => (Array.isArray(values[option]) ? values[option].map(String) : []),
    flag: (option) => values[option] === true,
  }
  try {
    return await run(name, command, given, log, out, values['json'] === true)
  } catch (error) {
    throw namingOption(error, command)
  }
}

async function run(
  name: string,
  command: Command,
  given: Arguments,
  log: Logger,
  out: NodeJS.WritableStream,
  asJson: boolean,
): Promise<number> {
  await command.check?.(given)
  const installation = await openInstallation(given.config, log, {
    needsLibrary: libraryCommands.has(name.split(' ')[0] ?? ''),
    ...(given.flag('backed-up') && { backedUp: true }),
  })
  try {
    const invocation: Invocation = {
      ...given,
      installation,
      log,
      progress: (line) => process.stderr.write(`${line}\n`),
    }
    const output = await command.run(invocation)
    const text = asJson ? `${JSON.stringify(output.rows, null, 2)}\n` : linesOf(output)
    out.write(terminalText(text))
    return output.exitCode ?? 0
  } finally {
    await installation.close()
  }
}

/** Exit code when the command that `argv` names, or its start, fails. */
export const failureExitCode = async (argv: readonly string[]): Promise<number> =>
  (await find(argv))[1]?.failureExitCode ?? 1

async function groupOf([first = '']: readonly string[]): Promise<Commands | undefined> {
  return Object.hasOwn(groups, first) ? groups[first]?.() : undefined
}

async function allCommands(): Promise<Commands> {
  const loaded = await Promise.all(Object.values(groups).map((load) => load()))
  return Object.assign({}, ...loaded)
}

/** Finds the command with the longest name that matches the first words. */
async function find(argv: readonly string[]): Promise<readonly [string, Command | undefined]> {
  const commands = (await groupOf(argv)) ?? {}
  for (const length of [3, 2, 1]) {
    const name = argv.slice(0, length).join(' ')
    const command = commands[name]
    if (command) return [name, command]
  }
  return ['', undefined]
}

function parse(name: string, command: Command, args: readonly string[]) {
  const usage = `Usage: ${serviceCommand} ${name} ${command.usage}`
  const { options, required, least, most } = readUsage(command.usage)
  try {
    const parsed = parseArgs({
      args: [...args],
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const values: Readonly<Record<string, unknown>> = parsed.values
    const missing = required.find((option) => values[option] === undefined)
    if (missing) throw new Error(`--${missing} is required.`)
    if (parsed.positionals.length < least || parsed.positionals.length > most) {
      throw new Error(
        `It takes ${least === most ? least : `${least} to ${most}`} ${most === 1 ? 'word' : 'words'} besides its options, not ${parsed.positionals.length}.`,
      )
    }
    return { values, positionals: parsed.positionals }
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n${usage}`)
  }
}

function linesOf({ rows, lines }: Output): string {
  if (lines) return lines.map((line) => `${line}\n`).join('')
  const list = Array.isArray(rows) ? rows : [rows]
  if (list.length === 0) return 'Nothing to show.\n'
  return list
    .map(
      (row) =>
        `${Object.entries(row as object)
          .map(cell)
          .join('  ')}\n`,
    )
    .join('')
}

function cell([name, value]: [string, unknown]): string {
  return `${name}=${Array.isArray(value) ? value.join(',') : String(value ?? '-')}`
}

/** Lists the commands that match the most of these words; all commands when none matches the first word. */
async function helpFor(words: readonly string[]): Promise<string> {
  const all = Object.entries((await groupOf(words)) ?? (await allCommands()))
  const begins = (count: number) =>
    all.filter(([name]) => `${name} `.startsWith(`${words.slice(0, count).join(' ')} `))
  const shown = [3, 2, 1].filter((count) => count <= words.length).map(begins)
  const lines = (shown.find((some) => some.length > 0) ?? all).map(
    ([name, { usage, summary }]) => `  ${`${name} ${usage}`.trimEnd()}\n      ${summary}`,
  )
  return `${serviceCommand} <command> [--json]\n\n${lines.join('\n')}\n`
}

/**
 * Names the option in an error about the value of a field, because a person at the command line knows only options:
 * `--day-cap` for `day_cap`.
 */
function namingOption(error: unknown, { usage }: Command): unknown {
  if (!(error instanceof ServiceError) || error.param === null) return error
  const { code, message, param, cause } = error
  const option = optionOf(param, readUsage(usage).options)
  if (option === undefined || message.includes(`--${option}`)) return error
  const field = `\`${param}\``
  const named = message.includes(field) ? message.replaceAll(field, `--${option}`) : `--${option}: ${message}`
  return new ServiceError(code, named, { param, cause })
}

/** Commands name an account by its address. */
function optionOf(param: string, options: object): string | undefined {
  const names = [param.replaceAll('_', '-'), ...(param === 'email' ? ['account'] : [])]
  return names.find((name) => Object.hasOwn(options, name))
}

/**
 * Characters that a terminal obeys, except line breaks and tabs, and those that reverse a text. Names from earlier
 * versions, addresses and titles may have them.
 */
const obeyed = /[[\p{Cc}--[\n\t]]\u202a-\u202e\u2066-\u2069\u2028\u2029]/gv

/** Text that shows what it has. The escapes are also those of JSON, so that programs read the same values. */
function terminalText(text: string): string {
  return text.replace(obeyed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
