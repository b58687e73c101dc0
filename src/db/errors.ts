import { messageOf } from '../errors.ts'

/** What the driver says of a failed statement, unwrapped from the query builder's error (which repeats parameters). */
export type DatabaseFault = { readonly code: string; readonly message: string; readonly constraint: string }

/** SQLSTATE of a unique violation. */
export const uniqueViolation = '23505'

/** SQLSTATE of a row that refers to one that is not there. */
export const foreignKeyViolation = '23503'

/** The driver's error inside `error`, or undefined when it is no database error. */
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

/** For the log: what the driver says, without the statement and its parameters, or what any other error says. */
export function reasonOf(error: unknown): string {
  return databaseFault(error)?.message ?? messageOf(error)
}

/** Messages by which node-postgres reports a lost, refused or silent connection without a code. */
const connectionLost =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after)/

/** Refused, lost, starting up, shutting down, read-only, out of connections, disk or memory: trying later can help. */
export function isUnavailable(fault: DatabaseFault): boolean {
  return isLost(fault) || /^(53|58)/.test(fault.code)
}

/** Waited too long for a lock or altogether, or gave way to another transaction: the same can work a moment later. */
export function isBusy(fault: DatabaseFault): boolean {
  return /^(55P03|57014|25P0[34]|40001|40P01)$/.test(fault.code)
}

/** In trouble that can pass: the same transaction may work when it is tried again. */
export function isTransient(fault: DatabaseFault): boolean {
  return isUnavailable(fault) || isBusy(fault)
}

/** The connection is of no use any more: it is lost, or leads to a server that takes no writes (now). */
export function isConnectionFault(fault: DatabaseFault): boolean {
  return isLost(fault) || /^25P0[34]$/.test(fault.code)
}

function isLost(fault: DatabaseFault): boolean {
  return /^(08|57P|25006|ECONN|EHOST|ENET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN)/.test(fault.code)
}
