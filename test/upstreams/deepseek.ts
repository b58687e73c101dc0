import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  isCalling,
  unanswered,
  uncalled,
  wireCall,
} from './chat-completions.ts'
import { type Body, halves, letters, type Provider, pieces, plain, type Refusal } from './provider.ts'

/**
 * DeepSeek in thinking mode.
 *
 * Documentation: https://api-docs.deepseek.com/guides/thinking_mode (thinking is the default; `reasoning_content` of
 * messages with tool calls goes back in all later requests, also of later turns; sampling options are ignored),
 * https://api-docs.deepseek.com/api/create-chat-completion (usage with cache hits, in the chunk of the finish),
 * https://api-docs.deepseek.com/quick_start/rate_limit (`: keep-alive`). From users' reports: the texts of refusals,
 * of `tool_choice` and of `json_schema`, the roles and the parts of a content that its parser does not know.
 */

const refuse = (message: string): Refusal =>
  plain(400, {
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
  })

const unreadable = (place: string, variant: string, known: string): Refusal =>
  refuse(
    `Failed to deserialize the JSON body into the target type: ${place}: unknown variant \`${variant}\`, expected ${known} at line 1 column 99`,
  )

function checkMessage(message: Body, at: number): Refusal | undefined {
  const { role, content } = message
  if (!['system', 'user', 'assistant', 'tool'].includes(role))
    return unreadable(`messages[${at}].role`, role, 'one of `system`, `user`, `assistant`, `tool`')
  if (content === undefined && !message.tool_calls)
    return refuse(
      `Failed to deserialize the JSON body into the target type: messages[${at}]: missing field \`content\``,
    )
  const part = Array.isArray(content) ? content.find(({ type }) => type !== 'text') : undefined
  if (part) return unreadable(`messages[${at}]`, part.type, '`text`')
  if (isCalling(message) && typeof message.reasoning_content !== 'string')
    return refuse('The `reasoning_content` in the thinking mode must be passed back to the API.')
  return undefined
}

function checkMessages(messages: Body): Refusal | undefined {
  for (const [at, message] of messages.entries()) {
    const refusal = checkMessage(message, at)
    if (refusal) return refusal
  }
  if (unanswered(messages))
    return refuse(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    )
  if (uncalled(messages) !== undefined)
    return refuse("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'")
  return undefined
}

export const deepseek: Provider = {
  name: 'DeepSeek',
  base: '',
  path: '/chat/completions',
  check(body) {
    if (body.tool_choice !== undefined && !['auto', 'none'].includes(body.tool_choice))
      return refuse('Thinking mode does not support this tool_choice')
    if (body.response_format?.type === 'json_schema')
      return refuse('This response_format type is unavailable now')
    if (body.response_format?.type === 'json_object' && !/json/i.test(JSON.stringify(body.messages)))
      return refuse(
        "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
      )
    return checkMessages(body.messages)
  },
  question: chatQuestion,
  returned: chatReturned(['reasoning_content']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: `${letters(serial, 8)}-${letters(serial + 1, 4)}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
      system_fingerprint: 'fp_8802369eaa_prod0623_fp8_kvcache',
    })
    const say = (delta: object, finish: string | null = null, more: object = {}) =>
      write(delta, finish, more, { logprobs: null })
    const calls = (move.calls ?? []).map((call, at) =>
      wireCall(`call_${String(at).padStart(2, '0')}_${letters(serial, 24)}`, call),
    )
    const thoughts = move.thoughts ?? ''
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      total_tokens: tokens.prompt + tokens.completion,
      prompt_tokens_details: { cached_tokens: 640 },
      completion_tokens_details: { reasoning_tokens: 12 },
      prompt_cache_hit_tokens: 640,
      prompt_cache_miss_tokens: tokens.prompt - 640,
    }
    return {
      blocks: [
        ': keep-alive\n\n',
        say({ role: 'assistant', content: null, reasoning_content: '' }),
        ...pieces(thoughts).map((text) => say({ content: null, reasoning_content: text })),
        ': keep-alive\n\n',
        ...pieces(move.text ?? '').map((content) => say({ content, reasoning_content: null })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          say({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
          ...halves(text).map((half) => say({ tool_calls: [{ index, function: { arguments: half } }] })),
        ]),
        say({ content: '', reasoning_content: null }, finishOf(move), { usage }),
        done,
      ],
      issued: { reasoning_content: thoughts, ...(calls.length > 0 && { tool_calls: calls }) },
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: {
      error: {
        message: 'Rate limit reached. Please pace your requests reasonably.',
        type: 'rate_limit_reached_error',
        param: null,
        code: 'rate_limit_reached_error',
      },
    },
  },
  refuses: {
    // A choice is passed on only with tools of the client's own.
    sent: {
      tool_choice: 'required',
      tools: [
        { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
      ],
    },
    param: 'tool_choice',
    plan: 'tool,answer',
  },
}
