import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  malformedArguments,
  wireCall,
} from './chat-completions.ts'
import { type Body, letters, type Provider, pieces, plain, type Refusal, sse } from './provider.ts'

/**
 * Ollama by its OpenAI-compatible address.
 *
 * Documentation: https://docs.ollama.com/api/openai-compatibility (unknown members are ignored; `reasoning` beside
 * `content`; whole calls in one chunk), https://docs.ollama.com/api/errors. The words of the refusals and the roles are
 * from its sources (https://github.com/ollama/ollama, folder `openai`): an effort that is none of its levels, a part of
 * a content that it does not know, arguments that are not JSON.
 */

const refuse = (message: string): Refusal =>
  plain(400, { error: { message, type: 'invalid_request_error', param: null, code: null } })

function checkParts(parts: readonly Body[]): Refusal | undefined {
  if (parts.some(({ type }) => type !== 'text' && type !== 'image_url'))
    return refuse('invalid message format')
  const images = parts.filter(({ type }) => type === 'image_url').map((part) => String(part.image_url.url))
  return images.every((url) => url.startsWith('data:image/')) ? undefined : refuse('invalid image input')
}

export const ollama: Provider = {
  name: 'Ollama',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check({ messages, reasoning_effort: effort }) {
    if (effort !== undefined && !['high', 'medium', 'low', 'max', 'none'].includes(effort))
      return refuse(
        `invalid reasoning value: '${effort}' (must be "high", "medium", "low", "max", or "none")`,
      )
    if (messages.length === 0) return refuse("[] is too short - 'messages'")
    if (malformedArguments(messages) !== undefined) return refuse('invalid tool call arguments')
    return checkParts(messages.flatMap(({ content }: Body) => (Array.isArray(content) ? content : [])))
  },
  question: chatQuestion,
  returned: chatReturned(['reasoning']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: `chatcmpl-${serial}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
      system_fingerprint: 'fp_ollama',
    })
    const say = (delta: object, finish: string | null = null) =>
      write({ role: 'assistant', content: '', ...delta }, finish)
    const calls = (move.calls ?? []).map((call, at) =>
      wireCall(`call_${letters(serial * 10 + at, 8).toLowerCase()}`, call),
    )
    const thoughts = move.thoughts ?? ''
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      total_tokens: tokens.prompt + tokens.completion,
    }
    return {
      blocks: [
        ...pieces(thoughts).map((reasoning) => say({ reasoning })),
        ...pieces(move.text ?? '').map((content) => say({ content })),
        ...(calls.length > 0 ? [say({ tool_calls: calls.map((call, index) => ({ ...call, index })) })] : []),
        say({}, finishOf(move)),
        ...(body.stream_options?.include_usage ? [write(null, null, { usage })] : []),
        done,
      ],
      issued: { reasoning: thoughts, ...(calls.length > 0 && { tool_calls: calls }) },
    }
  },
  busy: {
    status: 503,
    body: {
      error: {
        message: 'server busy, please try again.  maximum pending requests exceeded',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
  },
  broken: [
    sse({
      error: {
        message: 'an error was encountered while running the model: unexpected EOF',
        type: 'api_error',
        param: null,
        code: null,
      },
    }),
  ],
  refuses: { sent: { reasoning_effort: 'minimal' }, param: 'reasoning_effort' },
}
