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
 * Gemini by its OpenAI-compatible address.
 *
 * Documentation: https://ai.google.dev/gemini-api/docs/openai (address, parameters),
 * https://ai.google.dev/gemini-api/docs/thought-signatures (`extra_content.google.thought_signature` on the first call
 * of a step and on the last part of an answer; calls of the current turn without one are refused, earlier ones not).
 * From users' reports: errors come in an array, `seed` and other members are unknown, each chunk has the role and the
 * usage so far, a call comes whole, all calls of a step have the index 0.
 */

const members = [
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls', 'user'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'n', 'reasoning_effort'],
  ...['response_format', 'extra_body', 'modalities', 'web_search_options'],
]

/** What the documentation names for calls that another model made. */
const placeholder = 'skip_thought_signature_validator'
const issuedSignatures = new Set<string>()

const refuse = (message: string, details?: unknown): Refusal =>
  plain(400, [{ error: { code: 400, message, status: 'INVALID_ARGUMENT', ...(details ? { details } : {}) } }])

function checkSignatures(messages: Body): Refusal | undefined {
  const turn = messages.findLastIndex((message: Body) => message.role === 'user')
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const found = [message, ...(message.tool_calls ?? [])]
      .map((holder: Body) => holder.extra_content?.google?.thought_signature)
      .filter((signature) => signature !== undefined)
    if (found.some((signature) => signature !== placeholder && !issuedSignatures.has(signature)))
      return refuse('Corrupted thought signature.')
    if (at < turn || !isCalling(message)) continue
    const [call] = message.tool_calls
    if (call.extra_content?.google?.thought_signature === undefined)
      return refuse(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.function.name}\`, position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      )
  }
  return undefined
}

export const gemini: Provider = {
  name: 'Gemini (OpenAI-compatible)',
  base: '/v1beta/openai',
  path: '/chat/completions',
  entry: { images: true },
  check(body) {
    const unknown = strangers(body, members).map(
      (member) => `Invalid JSON payload received. Unknown name "${member}": Cannot find field.`,
    )
    if (unknown.length > 0)
      return refuse(unknown.join('\n'), [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: unknown.map((description) => ({ description })),
        },
      ])
    const { messages } = body
    if (unanswered(messages) || uncalled(messages) !== undefined)
      return refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    return checkSignatures(messages)
  },
  question: chatQuestion,
  returned: chatReturned(['extra_content']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: letters(serial, 22),
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
    })
    const usage = {
      prompt_tokens: tokens.prompt,
      completion_tokens: tokens.completion,
      total_tokens: tokens.prompt + tokens.completion,
    }
    const more = body.stream_options?.include_usage ? { usage } : {}
    const say = (delta: object, finish: string | null = null) =>
      write({ role: 'assistant', ...delta }, finish, more)
    const signature = `EjQKMgEM${letters(serial, 60)}==`
    issuedSignatures.add(signature)
    const extra_content = { google: { thought_signature: signature } }
    const calls = (move.calls ?? []).map((call, at) => ({
      ...(at === 0 && { extra_content }),
      ...wireCall(`function-call-${1_000_000 + serial * 10 + at}`, call),
    }))
    return {
      blocks: [
        ...pieces(move.text ?? '').map((content) => say({ content })),
        ...calls.map((call) => say({ tool_calls: [{ index: 0, ...call }] })),
        say(calls.length > 0 ? {} : { content: '', extra_content }, finishOf(move)),
        done,
      ],
      issued: calls.length > 0 ? { tool_calls: calls } : { extra_content },
    }
  },
  busy: {
    status: 429,
    body: [
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota. Please retry in 1.0s.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
        },
      },
    ],
  },
  refuses: { sent: { seed: 7 }, param: 'seed' },
}
