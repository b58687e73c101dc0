import type { Config } from '../config.ts'
import type { Installation } from '../installation.ts'
import type { Logger } from '../log.ts'

/** The options of a command and its remaining words, with the settings. */
export type Arguments = {
  readonly config: Config
  readonly words: readonly string[]
  text(option: string): string | undefined
  list(option: string): readonly string[]
  flag(option: string): boolean
}

/** The input of a command. */
export type Invocation = Arguments & {
  readonly installation: Installation
  readonly log: Logger
  /** Prints progress for people on standard error, so that standard output stays readable for programs. */
  progress(line: string): void
}

export type Command = {
  /** Words and options after the name, as the help shows them and `readUsage` reads them. */
  readonly usage: string
  readonly summary: string
  /** Exit code when the command or its start fails; default: 1. */
  readonly failureExitCode?: number
  /** Runs before the database is opened, so that a command that cannot work fails at once. */
  readonly check?: (given: Arguments) => Promise<void>
  /** Returns what is printed: JSON with `--json`, otherwise a table or lines. */
  readonly run: (invocation: Invocation) => Promise<Output>
}

/** `rows` is for programs; `lines` is for people, and defaults to the rows. */
export type Output = {
  readonly rows: unknown
  readonly lines?: readonly string[]
  readonly exitCode?: number
}
