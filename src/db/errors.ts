import { messageOf } from '../errors.ts'

/** The driver's error of a failed statement, without the query builder's wrapper, which repeats the parameters. */
export type DatabaseFault = { readonly code: string; readonly message: string; readonly constraint: string }

/** SQLSTATE of a unique violation. */
export const uniqueViolation = '23505'

/** SQLSTATE of a row that refers to one that does not exist, or no longer. */
export const foreignKeyViolation = '23503'

/** SQLSTATE of our trigger that refuses deletions in an account under a legal hold. */
export const underLegalHold = 'TU004'

/** The driver's error inside `error`. Undefined if it is not a database error. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    const { code, constraint } = e as { code?: unknown; constraint?: unknown }
    const known = typeof code === 'string' && /^([0-9A-Z]{5}|E[A-Z_]+)$/.test(code)
    if (known || connectionLost.test(e.message)) {
      return {
        code: known ? code : '08006',
        message: e.message,
        constraint: typeof constraint === 'string' ? constraint : '',
      }
    }
  }
  return undefined
}

/**
 * The reason for the log: the driver's message without the statement and its parameters, or any other error's
 * message.
 */
export function reasonOf(error: unknown): string {
  return databaseFault(error)?.message ?? messageOf(error)
}

/** Messages by which node-postgres reports a lost, refused or silent connection that has no code. */
const connectionLost =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after)/

/**
 * Whether the database is unavailable: refused, lost, starting, stopping, read-only, or out of connections,
 * disk or memory. A later attempt may succeed.
 */
export function isUnavailable(fault: DatabaseFault): boolean {
  return isLost(fault) || /^(53|58)/.test(fault.code)
}

/**
 * Whether a statement timed out, waited too long for a lock, or lost a conflict with another transaction. A
 * retry may succeed within moments.
 */
export function isBusy(fault: DatabaseFault): boolean {
  return /^(55P03|57014|25P0[34]|40001|40P01)$/.test(fault.code)
}

/** Whether the fault is transient: the same transaction may succeed if it is retried. */
export function isTransient(fault: DatabaseFault): boolean {
  return isUnavailable(fault) || isBusy(fault)
}

/** Whether the connection is unusable: it is lost, or its server accepts no writes at present. */
export function isConnectionFault(fault: DatabaseFault): boolean {
  return isLost(fault) || /^25P0[34]$/.test(fault.code)
}

function isLost(fault: DatabaseFault): boolean {
  return /^(08|57P|25006|ECONN|EHOST|ENET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN)/.test(fault.code)
}
