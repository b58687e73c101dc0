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
 * Moonshot's Kimi with thinking, which is its default.
 *
 * Documentation: https://platform.moonshot.ai/docs/api/chat (usage inside the choice of the last chunk),
 * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model (`reasoning_content` of steps with tools goes
 * back, temperature 1). From users' reports: the texts of refusals; no forced `tool_choice` with thinking; no empty
 * messages; ids such as `list_files:0`, whose number goes on over the conversation.
 */

const refuse = (message: string): Refusal => plain(400, { error: { message, type: 'invalid_request_error' } })

function checkMessages(messages: Body): Refusal | undefined {
  for (const [at, message] of messages.entries()) {
    if (!['system', 'user', 'assistant', 'tool'].includes(message.role))
      return refuse(`Invalid request: unsupported role ${message.role} at position ${at}`)
    const isEmpty = message.content === '' || message.content === null || message.content?.length === 0
    if (isEmpty && !isCalling(message) && message.role !== 'tool')
      return refuse(
        `Invalid request: the message at position ${at} with role '${message.role}' must not be empty`,
      )
    if (isCalling(message) && !message.reasoning_content)
      return refuse(
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
      )
  }
  const left = unanswered(messages)
  if (left)
    return refuse(
      `Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${left.ids.join(', ')}`,
    )
  return uncalled(messages) === undefined ? undefined : refuse('Invalid request: tool_call_id  is not found')
}

export const moonshot: Provider = {
  name: 'Moonshot',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check(body) {
    if (body.temperature !== undefined && body.temperature !== 1)
      return refuse('invalid temperature: only 1 is allowed for this model')
    if (body.tool_choice === 'required' || typeof body.tool_choice === 'object')
      return refuse(
        `tool_choice '${body.tool_choice === 'required' ? 'required' : 'specified'}' is incompatible with thinking enabled`,
      )
    return checkMessages(body.messages)
  },
  question: chatQuestion,
  returned: chatReturned(['reasoning_content']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: `chatcmpl-${letters(serial, 24)}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
      system_fingerprint: 'fpv0_4f9a3b1c',
    })
    const before = body.messages.flatMap((message: Body) => message.tool_calls ?? []).length
    const calls = (move.calls ?? []).map((call, at) => wireCall(`${call.name}:${before + at}`, call))
    const thoughts = move.thoughts ?? ''
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      ...{ total_tokens: tokens.prompt + tokens.completion, cached_tokens: 512 },
    }
    return {
      blocks: [
        write({ role: 'assistant', content: '' }),
        ...pieces(thoughts).map((text) => write({ reasoning_content: text })),
        ...pieces(move.text ?? '').map((content) => write({ content })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          write({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
          ...halves(text).map((half) => write({ tool_calls: [{ index, function: { arguments: half } }] })),
        ]),
        write({}, finishOf(move), {}, { usage }),
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
        message: 'The engine is currently overloaded, please try again later',
        type: 'engine_overloaded_error',
      },
    },
  },
  refuses: { sent: { temperature: 0.2 }, param: 'temperature' },
}
