import type { Principal } from '../../accounts/principal.ts'
import { type Executor, withTx } from '../../db/client.ts'
import { invalidValue, notFound, type ServiceError } from '../../errors.ts'
import { findAnswers, findRunOfCall, openCallsOf } from '../../turns/admit/continuation.ts'
import type { Run } from '../../turns/run/run.ts'
import { findStoredRun } from '../../turns/run/runs.ts'
import type { Services } from '../../turns/services.ts'
import type { ChatMessage } from '../turn-request/chat-body.ts'
import { callItemOf } from './ids.ts'
import { type FunctionCallOutput, type Item, isOfModel } from './input/items.ts'
import { type PlainItem, toChatMessages } from './input/messages.ts'

/** New messages of a request, and the turn that they continue. */
export type Continued = {
  readonly messages: readonly ChatMessage[]
  /** The whole conversation, if the client sent it and names neither a response nor a session. */
  readonly whole: readonly ChatMessage[] | undefined
  /**
   * The turn to continue. Undefined: the messages are a whole conversation, or the request names a session.
   */
  readonly after: Run | undefined
}

/**
 * Finds the new items of the input: everything after the model's last item, because clients send their
 * history again. Results of client tools also find their response by call id, because agent loops name no
 * response.
 * @throws ServiceError `not_found` for an unknown reference; `invalid_value` when calls and results do not
 * match.
 */
export async function readContinued(
  services: Services,
  principal: Principal,
  sent: readonly Item[],
  named: {
    readonly previous: Run | undefined
    readonly sessionId: string | undefined
    readonly projectId: string | undefined
  },
): Promise<Continued> {
  const { items, asking } = await withTx(services.database, principal, async (tx) => {
    const plain = await resolved(tx, principal, sent)
    const [first] = newOutputs(plain)
    return { items: plain, asking: first && (await findRunOfCall(tx, principal, first.call_id)) }
  })
  const sessionId = named.previous?.sessionId ?? named.sessionId ?? asking?.sessionId
  const projectId = named.projectId ?? asking?.projectId
  if (asking && (asking.sessionId !== sessionId || asking.projectId !== projectId)) {
    throw invalid('It answers function calls of another session or project than the one that is named.')
  }
  const after = asking ?? named.previous
  const isWhole = named.previous === undefined && named.sessionId === undefined
  const whole = isWhole ? toChatMessages(items) : undefined
  if (!after) {
    if (isWhole) requirePairs(items)
    return { messages: whole ?? toChatMessages(items), whole, after: undefined }
  }
  const messages = [...toChatMessages(answersTo(after, items)), ...toChatMessages(newMessages(items))]
  if (!messages.some(({ role }) => role === 'user' || role === 'tool')) {
    throw invalid('There is nothing new in it: it must end with a message of the user or with outputs.')
  }
  return { messages, whole, after }
}

function invalid(message: string): ServiceError {
  return invalidValue(`\`input\`: ${message}`, 'input')
}

/** Replaces item references by the items: clients that rely on stored responses send only ids. */
async function resolved(
  executor: Executor,
  principal: Principal,
  items: readonly Item[],
): Promise<readonly PlainItem[]> {
  const ids = items.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []))
  const answers = ids.length === 0 ? new Map() : await findAnswers(executor, principal, ids)
  const plain: PlainItem[] = []
  for (const item of items) {
    if (item.type !== 'item_reference') plain.push(item)
    else if (answers.has(item.id)) {
      plain.push({ type: 'message', role: 'assistant', content: answers.get(item.id) })
    } else plain.push(await callBehind(executor, principal, item.id))
  }
  return plain
}

async function callBehind(executor: Executor, principal: Principal, id: string): Promise<PlainItem> {
  const named = callItemOf(id)
  const run = named && (await findStoredRun(executor, principal, named.runId))
  const call = run && openCallsOf(run)[named.index]
  if (!call) throw notFound()
  return { type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments }
}

function isOutput(item: PlainItem): item is FunctionCallOutput {
  return item.type === 'function_call_output'
}

function fresh(items: readonly PlainItem[]): readonly PlainItem[] {
  return items.slice(items.findLastIndex(isOfModel) + 1)
}

function newOutputs(items: readonly PlainItem[]): readonly FunctionCallOutput[] {
  return fresh(items).filter(isOutput)
}

function newMessages(items: readonly PlainItem[]): readonly PlainItem[] {
  return fresh(items).filter((item) => !isOutput(item))
}

/**
 * The outputs for the open calls of a response, in the order of the calls.
 * @throws ServiceError for an output without a call, or a call without an output.
 */
function answersTo(after: Run, items: readonly PlainItem[]): readonly FunctionCallOutput[] {
  const open = openCallsOf(after)
  const outputs = items.filter(isOutput)
  const stray = newOutputs(items).find(({ call_id }) => !open.some(({ id }) => id === call_id))
  if (stray) throw noSuchCall(stray.call_id)
  return open.map(({ id }) => outputs.findLast(({ call_id }) => call_id === id) ?? throwMissingOutput(id))
}

/**
 * Checks that in a whole conversation every call is followed by an output, and every output follows its call.
 */
function requirePairs(items: readonly PlainItem[]): void {
  const open = new Set<string>()
  const known = new Set<string>()
  for (const item of items) {
    if (item.type === 'function_call') {
      open.add(item.call_id)
      known.add(item.call_id)
    } else if (isOutput(item)) {
      if (!known.has(item.call_id)) throw noSuchCall(item.call_id)
      open.delete(item.call_id)
    }
  }
  const [left] = open
  if (left !== undefined) throwMissingOutput(left)
}

function noSuchCall(id: string): ServiceError {
  return invalid(
    `There is no open function call "${id}". Name the response that made it, or send its item too.`,
  )
}

function throwMissingOutput(id: string): never {
  throw invalid(`No output for the function call "${id}". Send one function_call_output for each call.`)
}
