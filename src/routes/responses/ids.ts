import type { Run } from '../../turns/run/run.ts'

/**
 * Converts ids without a table: a response id is its run's id with another prefix, a conversation id its
 * session's, and function-call items are numbered per run or message.
 */

const runPrefix = 'run_'
const responsePrefix = 'resp_'
const itemPrefix = 'fc_'
const reasoningPrefix = 'rs_'
const sessionPrefix = 'sess_'
const conversationPrefix = 'conv_'
const messagePrefix = 'msg_'

export function responseId(run: Pick<Run, 'id'>): string {
  return responsePrefix + run.id.slice(runPrefix.length)
}

/** The run id of a response id. Other ids become an empty string, which matches no run in the same query. */
export function runIdOf(id: string): string {
  return id.startsWith(responsePrefix) ? runPrefix + id.slice(responsePrefix.length) : ''
}

/** Id of the function-call item with this index (from 0) in a response. */
export function callItemId(run: Pick<Run, 'id'>, index: number): string {
  return `${itemPrefix}${run.id.slice(runPrefix.length)}_${index}`
}

/** Id of the reasoning item of a response. */
export function reasoningId(run: Pick<Run, 'id'>): string {
  return reasoningPrefix + run.id.slice(runPrefix.length)
}

/** The run id and index in the id of a function-call item; undefined for other ids. */
export function callItemOf(id: string): { readonly runId: string; readonly index: number } | undefined {
  const [, run, index] = /^fc_(\w+)_(\d{1,4})$/.exec(id) ?? []
  return run === undefined ? undefined : { runId: runPrefix + run, index: Number(index) }
}

export function conversationId(sessionId: string): string {
  return conversationPrefix + sessionId.slice(sessionPrefix.length)
}

/** The session id of a conversation id. Other ids become an empty string, which matches no session. */
export function sessionIdOf(id: string): string {
  return id.startsWith(conversationPrefix) ? sessionPrefix + id.slice(conversationPrefix.length) : ''
}

/** Id of the function-call item with this index (from 0) in a message that is no answer of a run. */
export function messageCallId(messageId: string, index: number): string {
  return `${itemPrefix}${messageId.slice(messagePrefix.length)}_${index}`
}

/** The message that contains an item: by its id, or for a function call also by the run whose answer it is. */
export function messageOfItem(id: string): { readonly messageId: string; readonly runId?: string } {
  const { runId } = callItemOf(id) ?? {}
  if (runId === undefined) return { messageId: id }
  return { messageId: messagePrefix + runId.slice(runPrefix.length), runId }
}
