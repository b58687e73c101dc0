import { createInterface } from 'node:readline'
import { needsPermission, type Survey } from '../../sources/collections/survey.ts'
import type { RestrictedLicense } from '../../sources/library/licenses.ts'
import { collectionStates } from '../../sources/library-jobs/collection-states.ts'
import { serviceCommand } from '../../version/version.ts'
import type { Invocation, Output } from '../command.ts'
import { permissionQuestion } from './collection-lines.ts'
import { allowedLicenses } from './import-options.ts'

/** The licences that the command line allows, and those that the last complete import of the collection had. */
export async function permittedBefore(invocation: Invocation): Promise<readonly RestrictedLicense[]> {
  const states = await collectionStates(invocation.installation.library.system)
  const before = states.find(({ collection }) => collection.name === invocation.words[0])?.allowed ?? []
  return [...new Set([...allowedLicenses(invocation), ...before])]
}

export type Permission = readonly RestrictedLicense[] | 'unanswered' | 'stopped'

/** Asks once about texts whose licence needs permission. `--yes` asks nothing and permits nothing more. */
export async function askPermission(
  { flag }: Invocation,
  survey: Survey,
  allowed: readonly RestrictedLicense[],
  signal: AbortSignal,
): Promise<Permission> {
  const needed = needsPermission(survey, allowed)
  if (signal.aborted) return 'stopped'
  if (needed.length === 0 || flag('yes')) return allowed
  if (!process.stdin.isTTY || !process.stderr.isTTY) return 'unanswered'
  const answer = await ask(permissionQuestion(survey, needed), signal)
  if (answer === undefined) return 'stopped'
  return /^\s*(y|yes|כן|כ)\s*$/i.test(answer) ? [...allowed, ...needed] : allowed
}

/** Undefined after Ctrl-C or at the end of the input. */
function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => lines.close())
    signal.addEventListener('abort', () => lines.close())
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}

/** What to run when nobody can be asked. */
export function unanswered(
  { words, text }: Invocation,
  survey: Survey,
  allowed: readonly RestrictedLicense[],
): Output {
  const needed = needsPermission(survey, allowed)
  const options = needed.map((kind) => `--allow-license ${kind}`).join(' ')
  const mirror = text('base-url')
  const again = `${serviceCommand} sources add ${words.join(' ')}${mirror ? ` --base-url ${mirror}` : ''}`
  return {
    rows: { needs_permission: needed, added: false },
    lines: [
      'Nothing was added: there is no terminal to ask about the licences that need permission.',
      `  Without those texts:  ${again} --yes`,
      `  With those texts:     ${again} --yes ${options}`,
    ],
    exitCode: 2,
  }
}
