import { userInfo } from 'node:os'
import { type AuditAction, type AuditRecord, commandLine, recordAction } from '../accounts/audit.ts'
import { type Executor, withTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import type { Invocation, Output } from './command.ts'

type Details = NonNullable<AuditRecord['details']>

/** What a command does to the library. */
export type LibraryAction = {
  readonly action: Extract<AuditAction, `library.${string}`>
  /** The command and what it was given, without passwords. */
  readonly details: Details
}

/**
 * Runs a command that changes the library, and records it at its end in the audit log, with counts and outcome.
 * @throws the error of the command, which is recorded, too.
 */
export async function recorded(
  { installation }: Pick<Invocation, 'installation'>,
  { action, details }: LibraryAction,
  run: () => Promise<Output>,
): Promise<Output> {
  const record = (more: Details) =>
    withTx(installation.database, 'system', (tx) =>
      recordLibraryAction(tx, { action, details: { ...details, ...more } }),
    )
  try {
    const output = await run()
    await record({ ...countsIn(output.rows), outcome: outcomeOf(output) })
    return output
  } catch (error) {
    const outcome = error instanceof ServiceError ? `failed: ${error.code}` : 'failed'
    // The command's own error says more than one about its entry.
    await record({ outcome }).catch(() => undefined)
    throw error
  }
}

/** Records an action on the library, which is about no account. */
export function recordLibraryAction(tx: Executor, { action, details }: LibraryAction): Promise<void> {
  return recordAction(tx, {
    actor: commandLine,
    action,
    accountId: '',
    details: { ...details, os_user: osUser() },
  })
}

const interrupted = 130

function outcomeOf({ exitCode = 0 }: Output): string {
  if (exitCode === 0) return 'done'
  return exitCode === interrupted ? 'stopped' : 'incomplete'
}

const counted = [
  'works',
  'versions',
  'segments',
  'passages',
  'unchanged',
  'links',
  'embedded',
  'skipped',
  'failed',
]

/** The counts of a report; of a list, its length. */
function countsIn(rows: unknown): Readonly<Record<string, number>> {
  const counts = Object.entries(rows as object)
    .filter(([name]) => counted.includes(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.length : Number(value)] as const)
  return Object.fromEntries(counts)
}

/** The address without a user, a password or a query, which may be secret. Other texts as they are. */
export function withoutSecrets(place: string): string {
  if (!/^https?:\/\//i.test(place) || !URL.canParse(place)) return place
  const { origin, pathname } = new URL(place)
  return origin + pathname
}

/** The name of the user that runs the program; the number of one without a name, as in a container. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
