import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  lateSystem,
  malformedArguments,
  strangers,
  wireCall,
} from './chat-completions.ts'
import { halves, letters, type Provider, pieces, plain, type Refusal, sse } from './provider.ts'

/**
 * vLLM with a model of Qwen, behind a FastAPI that knows its members.
 *
 * Documentation: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html,
 * https://docs.vllm.ai/en/latest/features/reasoning_outputs.html (`reasoning` beside `content`),
 * https://docs.vllm.ai/en/latest/features/tool_calling.html. The chat template is Qwen's own
 * (https://huggingface.co/Qwen/Qwen3.5-27B/blob/main/chat_template.jinja): one system message, at the beginning, and a
 * question of the user. From users' reports: the form of refusals, 422 with `detail` for unknown members. vLLM queues
 * and is never busy: that answer is of the kind that a gateway before it gives.
 */

const members = [
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls', 'n'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'seed', 'user'],
  ...['response_format', 'presence_penalty', 'frequency_penalty', 'chat_template_kwargs', 'logprobs'],
]

const refuse = (message: string): Refusal =>
  plain(400, { error: { message, type: 'BadRequestError', param: null, code: 400 } })

export const vllm: Provider = {
  name: 'Qwen by vLLM',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check(body) {
    const unknown = strangers(body, members)
    if (unknown.length > 0) {
      const detail = unknown.map((member) => ({
        type: 'extra_forbidden',
        loc: ['body', member],
        msg: 'Extra inputs are not permitted',
        input: body[member],
      }))
      return plain(422, { detail })
    }
    const { messages } = body
    if (lateSystem(messages)) return refuse('System message must be at the beginning.')
    if (!messages.some(({ role }: { role: string }) => role === 'user'))
      return refuse('No user query found in messages.')
    if (malformedArguments(messages) !== undefined)
      return refuse('Can only get item pairs from a mapping. (tool_calls.arguments)')
    return undefined
  },
  question: chatQuestion,
  returned: chatReturned(['reasoning']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: `chatcmpl-${letters(serial, 32).toLowerCase()}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: body.model,
    })
    const say = (delta: object, finish: string | null = null, choice: object = {}) =>
      write(delta, finish, {}, { logprobs: null, token_ids: null, ...choice })
    const calls = (move.calls ?? []).map((call, at) =>
      wireCall(`chatcmpl-tool-${letters(serial * 10 + at, 16).toLowerCase()}`, call),
    )
    const usage = {
      ...{ prompt_tokens: tokens.prompt, total_tokens: tokens.prompt + tokens.completion },
      completion_tokens: tokens.completion,
      prompt_tokens_details: null,
    }
    const thoughts = move.thoughts ?? ''
    return {
      blocks: [
        say({ role: 'assistant', content: '' }),
        ...pieces(thoughts).map((reasoning) => say({ reasoning })),
        ...pieces(move.text ?? '').map((content) => say({ content })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          say({ tool_calls: [{ id, type, index, function: { name } }] }),
          ...halves(text).map((half) => say({ tool_calls: [{ index, function: { arguments: half } }] })),
        ]),
        say({ content: '' }, finishOf(move), { stop_reason: null }),
        ...(body.stream_options?.include_usage ? [write(null, null, { usage })] : []),
        done,
      ],
      issued: { reasoning: thoughts, ...(calls.length > 0 && { tool_calls: calls }) },
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: {
      error: { message: 'Too many requests in the queue.', type: 'TooManyRequests', param: null, code: 429 },
    },
  },
  broken: [
    sse({
      error: {
        message: 'EngineCore encountered an issue.',
        type: 'InternalServerError',
        param: null,
        code: 500,
      },
    }),
    done,
  ],
  refuses: { sent: { reasoning_effort: 'high' }, param: 'reasoning_effort' },
}
