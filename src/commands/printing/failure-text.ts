import { ConfigError } from '../../config.ts'
import { databaseFault, isTransient } from '../../db/errors.ts'
import { ServiceError } from '../../errors.ts'

/**
 * What the command line prints of a failure. The stack is for faults of the program only. A full disk or a lost
 * connection is none, and the query builder's stack would repeat the statement with its texts.
 */
export function failureText(error: unknown): string {
  if (error instanceof ConfigError || error instanceof ServiceError) return error.message
  const fault = databaseFault(error)
  if (fault && isTransient(fault)) {
    return `The database failed: ${fault.message}. When it works again, run the command again.`
  }
  return String((error as Error).stack)
}
