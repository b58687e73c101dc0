import { type EchoedParameters, type RunRequest, summaryStyles } from '../../../turns/run/run-request.ts'
import type { ChatBody, ChatMessage } from '../../turn-request/chat-body.ts'
import { type StoredOptions, toRunRequest } from '../../turn-request/messages.ts'
import type { ServiceOptions } from '../../turn-request/options.ts'
import { echoedNames, type ResponsesBody } from './schema.ts'
import { flatName } from './tools.ts'

/** Converts the request to the form of the chat route, so that both APIs start turns in one way. */
export function toChatBody(body: ResponsesBody, messages: readonly ChatMessage[]): ChatBody {
  return {
    model: body.model,
    messages: [...messages],
    temperature: body.temperature,
    top_p: body.top_p,
    max_completion_tokens: body.max_output_tokens,
    reasoning_effort: body.reasoning?.effort,
    user: body.user,
    response_format: responseFormatOf(body),
    tools: toolsOf(body),
    tool_choice: toolChoiceOf(body),
  }
}

/** The part of the request that the run stores, apart from its messages. */
export function toResponseRequest(
  body: ResponsesBody,
  chat: ChatBody,
  options: StoredOptions & Pick<ServiceOptions, 'reasoning'>,
): RunRequest {
  return {
    ...toRunRequest(chat, options),
    ...(body.instructions && { instructions: body.instructions }),
    response: {
      previousId: body.previous_response_id ?? null,
      ...(body.conversation && { inConversation: true as const }),
      metadata: textsOf(body['metadata']),
      background: body.background === true,
      parallelToolCalls: body.parallel_tool_calls ?? true,
      ...echoedOf(body),
      ...(body.store === false && { store: false as const }),
      ...namespacesOf(body),
      ...summaryOf(body, options),
    },
  }
}

function responseFormatOf({ text }: ResponsesBody): ChatBody['response_format'] {
  const format = text?.format
  if (format?.type !== 'json_schema') return format
  const { type, ...json_schema } = format
  return { type, json_schema }
}

function toolsOf({ tools }: ResponsesBody): ChatBody['tools'] {
  return tools?.map(({ name, description, parameters, custom }) => ({
    type: 'function',
    function: {
      name,
      ...(description && { description }),
      ...(parameters && { parameters }),
      ...(custom && { custom }),
    },
  }))
}

function toolChoiceOf({ tool_choice: choice }: ResponsesBody): ChatBody['tool_choice'] {
  if (!choice || typeof choice !== 'object') return choice
  if (choice.type === 'function') return { type: 'function', function: { name: flatName(choice) } }
  const { type, mode, tools } = choice
  const named = tools.flatMap(({ name, namespace }) =>
    typeof name === 'string' ? [{ name, namespace }] : [],
  )
  const allowed = named.map((tool) => ({ function: { name: flatName(tool) } }))
  return { type, allowed_tools: { mode, tools: allowed } }
}

function echoedOf(body: ResponsesBody): { readonly echoed?: EchoedParameters } {
  const sent = echoedNames.flatMap((name) => (body[name] == null ? [] : [[name, body[name]] as const]))
  return sent.length === 0 ? {} : { echoed: Object.fromEntries(sent) }
}

/** The names of the functions that came in a namespace, by the names that the model gets. */
function namespacesOf({ tools }: ResponsesBody) {
  const placed = (tools ?? []).flatMap(({ name, place }) => (place ? [[name, place] as const] : []))
  return placed.length === 0 ? {} : { namespaces: Object.fromEntries(placed) }
}

/** The service's own option decides first, as in the chat route. */
function summaryOf({ reasoning }: ResponsesBody, { reasoning: own }: Pick<ServiceOptions, 'reasoning'>) {
  const style = summaryStyles.find((name) => name === reasoning?.summary) ?? (own ? 'auto' : undefined)
  return style === undefined || own === false ? {} : { reasoningSummary: style }
}

/** Only string values are metadata; the service's own options can have other types. */
function textsOf(metadata: unknown): Readonly<Record<string, string>> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return {}
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
