import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  isCalling,
  strangers,
  unanswered,
  uncalled,
  wireCall,
} from './chat-completions.ts'
import { type Body, letters, type Provider, pieces, plain, type Refusal } from './provider.ts'

/**
 * Mistral with a reasoning model.
 *
 * Documentation: https://docs.mistral.ai/api/endpoint/chat (members; `random_seed` in place of `seed`, no `user`),
 * https://docs.mistral.ai/studio-api/conversations/reasoning (content in parts, of which `thinking` holds parts itself;
 * it goes back with the message), https://docs.mistral.ai/capabilities/function_calling. From users' reports: ids of nine letters or digits, the order of roles, refusals in their
 * own form with unknown members at every depth as 422, whole calls in the chunk of the finish, which has the usage.
 */

const members = [
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_tokens',
    'n',
  ],
  ...['temperature', 'top_p', 'stop', 'random_seed', 'response_format', 'presence_penalty', 'safe_prompt'],
  ...['frequency_penalty', 'prediction', 'prompt_mode', 'metadata', 'reasoning_effort', 'prompt_cache_key'],
  'guardrails',
]
const messageMembers: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
}

const refuse = (status: number, type: string, message: unknown, code: string | null): Refusal =>
  plain(status, { object: 'error', message, type, param: null, code, raw_status_code: status })

const order = (message: string) => refuse(400, 'invalid_request_message_order', message, '3230')

function forbidden(place: readonly (string | number)[], input: unknown): Refusal {
  const detail = [
    { type: 'extra_forbidden', loc: ['body', ...place], msg: 'Extra inputs are not permitted', input },
  ]
  return refuse(422, 'invalid_request_error', { detail }, null)
}

function checkMembers(body: Body): Refusal | undefined {
  const [unknown] = strangers(body, members)
  if (unknown !== undefined) return forbidden([unknown], body[unknown])
  const option = Object.keys(body.stream_options ?? {}).find((name) => name !== 'stream_tool_calls')
  if (option !== undefined) return forbidden(['stream_options', option], body.stream_options[option])
  for (const [at, message] of body.messages.entries()) {
    const [member] = strangers(message, messageMembers[message.role] ?? [])
    if (member !== undefined) return forbidden(['messages', at, message.role, member], message[member])
    for (const [index, call] of (message.tool_calls ?? []).entries()) {
      const [extra] = strangers(call, ['id', 'type', 'function', 'index'])
      if (extra !== undefined)
        return forbidden(['messages', at, 'assistant', 'tool_calls', index, extra], call[extra])
    }
  }
  return undefined
}

function checkOrder(messages: Body): Refusal | undefined {
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1]?.role
    if (message.role === 'user' && before === 'tool') return order("Unexpected role 'user' after role 'tool'")
    if (message.role === 'tool' && !['assistant', 'tool'].includes(before))
      return order(`Unexpected role 'tool' after role '${before}'`)
    if (message.role === 'assistant' && !message.content && !isCalling(message))
      return refuse(
        400,
        'invalid_request_assistant_message',
        'Assistant message must have either content or tool_calls, but not none.',
        '3240',
      )
  }
  if (messages.at(-1).role === 'assistant')
    return order(
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    )
  const bad = messages
    .flatMap((message: Body) => [
      message.tool_call_id,
      ...(message.tool_calls ?? []).map((call: Body) => call.id),
    ])
    .find((id: unknown) => id !== undefined && !/^[a-zA-Z0-9]{9}$/.test(String(id)))
  if (bad !== undefined)
    return refuse(
      400,
      'invalid_function_call',
      `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`,
      '3280',
    )
  if (unanswered(messages) || uncalled(messages) !== undefined)
    return refuse(
      400,
      'invalid_request_message_order',
      'Not the same number of function calls and responses',
      '3230',
    )
  return undefined
}

/** The text of all `thinking` parts, in however many parts it came. */
const thoughtsOf = (content: Body): string =>
  (Array.isArray(content) ? content : [])
    .flatMap((part: Body) => (part.type === 'thinking' ? part.thinking : []))
    .map(({ text }: Body) => text)
    .join('')

export const mistral: Provider = {
  name: 'Mistral',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check: (body) => checkMembers(body) ?? checkOrder(body.messages),
  question: chatQuestion,
  returned: (body) =>
    chatReturned(['content'])(body).map(({ content, ...rest }) => ({
      ...rest,
      thinking: thoughtsOf(content),
    })),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: letters(serial, 32),
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
    })
    const think = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }]
    const calls = (move.calls ?? []).map((call, at) => wireCall(letters(serial * 10 + at, 9), call))
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      total_tokens: tokens.prompt + tokens.completion,
    }
    const [first = '', ...words] = pieces(move.text ?? '')
    const last =
      calls.length > 0
        ? calls.map(({ id, function: called }, index) => ({ id, function: called, index }))
        : undefined
    return {
      blocks: [
        write({ role: 'assistant', content: '' }, null, { p: letters(serial, 4) }),
        ...pieces(move.thoughts ?? '').map((text) => write({ content: think(text) }, null, { p: 'abcdef' })),
        // The change from thoughts to text comes in one list.
        ...(first === '' ? [] : [write({ content: [{ type: 'text', text: first }] })]),
        ...words.map((content) => write({ content })),
        write(last ? { content: '', tool_calls: last } : { content: '' }, finishOf(move), { usage }),
        done,
      ],
      issued: {
        thinking: move.thoughts ?? '',
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: {
      object: 'error',
      message: 'Rate limit exceeded',
      type: 'rate_limited',
      param: null,
      code: '1300',
      raw_status_code: 429,
    },
  },
  refuses: { sent: { user: 'reader-7' }, param: 'user' },
}
