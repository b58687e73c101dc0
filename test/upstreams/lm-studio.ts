import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  lateSystem,
  wireCall,
} from './chat-completions.ts'
import { halves, type Provider, pieces, plain, sse } from './provider.ts'

/**
 * LM Studio.
 *
 * Documentation: https://lmstudio.ai/docs/developer/openai-compat (parameters, `json_schema`),
 * https://lmstudio.ai/docs/developer/openai-compat/tools (ids of nine digits, calls in pieces). From users' reports:
 * errors as a bare text, no `json_object`, no `tool_choice` as an object, and the template's word on a second system
 * message. It queues and is never busy: that answer is of the kind that a gateway before it gives.
 */

const refuse = (error: string) => plain(400, { error })

export const lmStudio: Provider = {
  name: 'LM Studio',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check(body) {
    const format = body.response_format?.type
    if (format !== undefined && !['json_schema', 'text'].includes(format))
      return refuse("'response_format.type' must be 'json_schema' or 'text'")
    if (typeof body.tool_choice === 'object')
      return refuse("Invalid tool_choice type: 'object'. Supported string values: none, auto, required")
    if (lateSystem(body.messages))
      return refuse(
        'Error rendering prompt with jinja template: "System message must be at the beginning.".\n\nThis is usually an issue with the model\'s prompt template.',
      )
    return undefined
  },
  question: chatQuestion,
  returned: chatReturned(['reasoning_content']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: `chatcmpl-${serial}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
      system_fingerprint: body.model,
    })
    const say = (delta: object, finish: string | null = null) => write(delta, finish, {}, { logprobs: null })
    const calls = (move.calls ?? []).map((call, at) => wireCall(String(365_000_000 + serial * 10 + at), call))
    const thoughts = move.thoughts ?? ''
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      total_tokens: tokens.prompt + tokens.completion,
    }
    return {
      blocks: [
        ...pieces(thoughts).map((text) => say({ role: 'assistant', reasoning_content: text })),
        ...pieces(move.text ?? '').map((content) => say({ role: 'assistant', content })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          say({ role: 'assistant', tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
          ...halves(text).map((half) =>
            say({ tool_calls: [{ index, function: { name: '', arguments: half } }] }),
          ),
        ]),
        say({}, finishOf(move)),
        ...(body.stream_options?.include_usage ? [write(null, null, { usage })] : []),
        done,
      ],
      issued: { reasoning_content: thoughts, ...(calls.length > 0 && { tool_calls: calls }) },
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { error: 'Too many requests. Please try again.' },
  },
  broken: [
    sse(
      { error: { message: 'The model has crashed without additional information. (Exit code: 6)' } },
      'error',
    ),
  ],
  refuses: { sent: { response_format: { type: 'json_object' } }, param: 'response_format', plan: 'json' },
}
