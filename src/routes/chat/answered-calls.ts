import type { Principal } from '../../accounts/principal.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, type ServiceError } from '../../errors.ts'
import { findRunOfCall, openCallsOf } from '../../turns/admit/continuation.ts'
import type { Run } from '../../turns/run/run.ts'
import type { Services } from '../../turns/services.ts'
import type { ChatMessage } from '../turn-request/chat-body.ts'
import type { ServiceOptions } from '../turn-request/options.ts'

/**
 * Finds the turn that waits for the tool results at the end of the messages, by their call ids: agent loops
 * send their history without a session.
 * @returns undefined when the messages answer no call of this service; they are then a new conversation,
 * unless a session is named.
 * @throws ServiceError `invalid_value` when calls and results do not match, because the model would refuse
 * them.
 */
export async function findAskingTurn(
  services: Services,
  principal: Principal,
  sent: readonly ChatMessage[],
  named: Pick<ServiceOptions, 'sessionId' | 'projectId'>,
): Promise<Run | undefined> {
  const results = trailingResults(sent)
  const [first] = results
  const asking =
    first === undefined
      ? undefined
      : await withTx(services.database, principal, (tx) => findRunOfCall(tx, principal, first))
  if (asking) requireAnswers(asking, results, named)
  else if (named.sessionId === undefined) requireCalls(sent)
  return asking
}

/** Call ids of the tool results after the last message of the model. */
function trailingResults(sent: readonly ChatMessage[]): readonly string[] {
  return sent.slice(sent.findLastIndex(({ role }) => role === 'assistant') + 1).flatMap(resultOf)
}

function resultOf({ role, tool_call_id: id }: ChatMessage): readonly string[] {
  return role === 'tool' && typeof id === 'string' ? [id] : []
}

/**
 * Checks that the results answer each open call of the turn once, that no other result is there, and that the
 * named session and project are the turn's.
 */
function requireAnswers(
  asking: Run,
  results: readonly string[],
  { sessionId = asking.sessionId, projectId = asking.projectId }: Partial<ServiceOptions>,
): void {
  if (sessionId !== asking.sessionId || projectId !== asking.projectId) {
    throw invalid('They answer tool calls of another session or project than the one that is named.')
  }
  const open = openCallsOf(asking).map(({ id }) => id)
  const stray = results.find((id, at) => !open.includes(id) || results.indexOf(id) !== at)
  if (stray !== undefined) throw noSuchCall(stray)
  const left = open.find((id) => !results.includes(id))
  if (left !== undefined) throw missingToolResult(left)
}

/**
 * Checks that every result of a whole conversation follows its call. A call without a result is left to the
 * model.
 */
function requireCalls(sent: readonly ChatMessage[]): void {
  const known = new Set<string>()
  for (const message of sent) {
    const stray = resultOf(message).find((id) => !known.has(id))
    if (stray !== undefined) throw noSuchCall(stray)
    for (const { id } of message.tool_calls ?? []) known.add(id)
  }
}

function noSuchCall(id: string): ServiceError {
  return invalid(`There is no open tool call "${id}". Send the assistant's message with it too.`)
}

function missingToolResult(id: string): ServiceError {
  return invalid(`No result for the tool call "${id}". Send one message of role \`tool\` for each call.`)
}

function invalid(message: string): ServiceError {
  return invalidValue(`\`messages\`: ${message}`, 'messages')
}
