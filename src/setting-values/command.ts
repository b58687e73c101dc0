import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** A program with its options. */
export type CommandWords = readonly [string, ...string[]]

/** @param command words that are separated by spaces. No shell reads them, so quotation marks have no meaning. */
export function commandWords(command: string): CommandWords {
  const [program = '', ...options] = command.trim().split(/\s+/)
  return Object.freeze([program, ...options] as const)
}

/** @param searched the folders of `PATH`, in which a name without a slash is looked for. */
export function isProgram(program: string, searched: string): boolean {
  if (program.includes('/')) return isExecutable(program)
  return searched.split(path.delimiter).some((folder) => isExecutable(path.join(folder, program)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
