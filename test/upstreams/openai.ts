import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  strangers,
  unanswered,
  uncalled,
  wireCall,
} from './chat-completions.ts'
import { type Body, halves, letters, type Provider, pieces, plain, type Refusal, sse } from './provider.ts'

/**
 * OpenAI's chat completions with a reasoning model.
 *
 * Documentation: https://platform.openai.com/docs/api-reference/chat and
 * https://platform.openai.com/docs/guides/reasoning (roles, `max_completion_tokens`, chunk and usage forms, padding
 * by `obfuscation`). The texts of refusals are from users' reports, as is the refusal of unknown members.
 */

const members = [
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'seed', 'user', 'n', 'store'],
  ...[
    'reasoning_effort',
    'response_format',
    'metadata',
    'service_tier',
    'verbosity',
    'logit_bias',
    'logprobs',
  ],
  ...['presence_penalty', 'frequency_penalty', 'prompt_cache_key', 'safety_identifier', 'top_logprobs'],
]
const messageMembers = ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'refusal', 'audio']
const roles = ['developer', 'system', 'user', 'assistant', 'tool']

const refuse = (message: string, param: string | null, code: string | null): Refusal =>
  plain(400, { error: { message, type: 'invalid_request_error', param, code } })

function checkModel(body: Body): Refusal | undefined {
  if (body.max_tokens !== undefined)
    return refuse(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    )
  for (const param of ['temperature', 'top_p'])
    if (body[param] !== undefined && body[param] !== 1)
      return refuse(
        `Unsupported value: '${param}' does not support ${body[param]} with this model. Only the default (1) value is supported.`,
        param,
        'unsupported_value',
      )
  if (body.stop !== undefined)
    return refuse(
      "Unsupported parameter: 'stop' is not supported with this model.",
      'stop',
      'unsupported_parameter',
    )
  return undefined
}

export function checkOpenAiMessages(messages: Body): Refusal | undefined {
  for (const [at, message] of messages.entries()) {
    if (!roles.includes(message.role))
      return refuse(
        `Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        `messages[${at}].role`,
        'invalid_value',
      )
    const [unknown] = strangers(message, messageMembers)
    if (unknown !== undefined)
      return refuse(
        `Unknown parameter: 'messages[${at}].${unknown}'.`,
        `messages[${at}].${unknown}`,
        'unknown_parameter',
      )
    for (const call of message.tool_calls ?? [])
      if (call.id.length > 40)
        return refuse(
          `Invalid 'messages[${at}].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${call.id.length} instead.`,
          `messages[${at}].tool_calls[0].id`,
          'string_above_max_length',
        )
  }
  const left = unanswered(messages)
  if (left)
    return refuse(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${left.ids.join(', ')}`,
      `messages.[${left.at + 1}].role`,
      null,
    )
  const stray = uncalled(messages)
  if (stray !== undefined)
    return refuse(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      `messages.[${stray}].role`,
      null,
    )
  return undefined
}

export const openai: Provider = {
  name: 'OpenAI',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check(body, headers) {
    if (headers.authorization !== 'Bearer key')
      return plain(401, {
        error: {
          message: "You didn't provide an API key.",
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      })
    const [unknown] = strangers(body, members)
    if (unknown !== undefined) return refuse(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
    if (body.tools === undefined && body.tool_choice !== undefined)
      return refuse("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice', null)
    return checkModel(body) ?? checkOpenAiMessages(body.messages)
  },
  question: chatQuestion,
  returned: chatReturned([]),
  reply(move, tokens, serial, body) {
    const base = {
      id: `chatcmpl-${letters(serial, 29)}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: `${body.model}-2026-08-07`,
      service_tier: 'default',
      system_fingerprint: null,
    }
    const write = chunker(base)
    const withUsage = body.stream_options?.include_usage === true
    const say = (delta: object | null, finish: string | null = null, usage: unknown = null) =>
      write(delta, finish, {
        ...(withUsage && { usage }),
        ...(delta && { obfuscation: letters(serial + 7, 9) }),
      })
    const calls = (move.calls ?? []).map((call, at) =>
      wireCall(`call_${letters(serial * 10 + at, 24)}`, call),
    )
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      total_tokens: tokens.prompt + tokens.completion,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 0, accepted_prediction_tokens: 0 },
    }
    return {
      blocks: [
        say({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null }),
        ...pieces(move.text ?? '').map((content) => say({ content })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          say({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
          ...halves(text).map((half) => say({ tool_calls: [{ index, function: { arguments: half } }] })),
        ]),
        say({}, finishOf(move)),
        ...(withUsage ? [say(null, null, usage)] : []),
        done,
      ],
      issued: calls.length > 0 ? { tool_calls: calls } : {},
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1', 'retry-after-ms': '1000', 'x-ratelimit-remaining-requests': '0' },
    body: {
      error: {
        message: 'Rate limit reached for requests. Please try again in 1s.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
  },
  broken: [
    sse({
      error: {
        message: 'The server had an error while processing your request. Sorry about that!',
        type: 'server_error',
        param: null,
        code: null,
      },
    }),
  ],
  refuses: { sent: { temperature: 0.2 }, param: 'temperature' },
}
