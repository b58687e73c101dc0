import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config } from '../config.ts'
import type { Installation } from '../installation.ts'
import type { Logger } from '../log.ts'

/** What a command is given: its options and its remaining words. */
export type Invocation = {
  readonly installation: Installation
  readonly config: Config
  readonly log: Logger
  readonly words: readonly string[]
  text(option: string): string | undefined
  list(option: string): readonly string[]
  flag(option: string): boolean
  /** Progress for people; goes to standard error, so that standard output stays clean for programs. */
  progress(line: string): void
}

export type Command = {
  /** What follows the name, as the help shows it. */
  readonly usage: string
  readonly summary: string
  readonly options: Readonly<Record<string, ParseArgsOptionDescriptor>>
  /** How many words it needs at least and takes at most. */
  readonly words?: readonly [number, number]
  readonly required?: readonly string[]
  /** The exit code when it, or its start, fails; default: 1. */
  readonly failureExitCode?: number
  /** Returns what is printed: JSON with `--json`, else a table or lines. */
  readonly run: (invocation: Invocation) => Promise<Output>
}

/** `rows` is what programs get; `lines` is what people read, made from the rows when it is missing. */
export type Output = {
  readonly rows: unknown
  readonly lines?: readonly string[]
  readonly exitCode?: number
}
