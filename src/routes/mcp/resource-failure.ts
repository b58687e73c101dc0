import { ProtocolError, ProtocolErrorCode, type ReadResourceResult } from '@modelcontextprotocol/server'
import { ServiceError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { publicMessage } from './tool-result.ts'

/**
 * Reads a resource. What does not exist is an error of the parameters, as revision 2026-07-28 has it.
 * @throws ProtocolError with a public message.
 */
export async function resourceFailure(
  log: Pick<Logger, 'error'>,
  read: () => Promise<ReadResourceResult>,
): Promise<ReadResourceResult> {
  try {
    return await read()
  } catch (error) {
    const code =
      error instanceof ServiceError && error.code === 'not_found'
        ? ProtocolErrorCode.InvalidParams
        : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, publicMessage(log, 'resource', error))
  }
}
