import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config } from '../config.ts'
import type { Installation } from '../installation.ts'
import type { Logger } from '../log.ts'

/** The input of a command: its options and its remaining words. */
export type Invocation = {
  readonly installation: Installation
  readonly config: Config
  readonly log: Logger
  readonly words: readonly string[]
  text(option: string): string | undefined
  list(option: string): readonly string[]
  flag(option: string): boolean
  /** Prints progress for people on standard error, so that standard output stays readable for programs. */
  progress(line: string): void
}

export type Command = {
  /** Arguments and options after the name, as the help shows them. */
  readonly usage: string
  readonly summary: string
  readonly options: Readonly<Record<string, ParseArgsOptionDescriptor>>
  /** Minimum and maximum number of words. */
  readonly words?: readonly [number, number]
  readonly required?: readonly string[]
  /** Exit code when the command or its start fails; default: 1. */
  readonly failureExitCode?: number
  /** Returns what is printed: JSON with `--json`, otherwise a table or lines. */
  readonly run: (invocation: Invocation) => Promise<Output>
}

/** `rows` is for programs; `lines` is for people, and defaults to the rows. */
export type Output = {
  readonly rows: unknown
  readonly lines?: readonly string[]
  readonly exitCode?: number
}
