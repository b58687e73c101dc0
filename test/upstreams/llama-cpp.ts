import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  lastRole,
  lateSystem,
  malformedArguments,
  wireCall,
} from './chat-completions.ts'
import { halves, letters, type Provider, pieces, plain, type Refusal } from './provider.ts'

/**
 * llama.cpp's `llama-server --jinja` with a model of Qwen.
 *
 * Documentation: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md (`reasoning_content`, timings in
 * the last chunks, unknown members are ignored). From users' reports: the errors of the template, which say
 * `invalid_request_error` or `server_error`; a history that ends with the model is a prefill, which thinking refuses.
 */

const refuse = (status: number, type: string, message: string): Refusal =>
  plain(status, { error: { code: status, message, type } })

export const llamaCpp: Provider = {
  name: 'llama.cpp',
  base: '/v1',
  path: '/chat/completions',
  entry: { images: true },
  check({ messages, n }) {
    if (lateSystem(messages))
      return refuse(
        400,
        'invalid_request_error',
        "Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing CallExpression at line 85, column 32 in source:\n...first %}↵            {{- raise_exception('System message must be at the beginnin...\n                                           ^\nError: Jinja Exception: System message must be at the beginning.",
      )
    if (lastRole(messages) === 'assistant')
      return refuse(
        400,
        'invalid_request_error',
        'Assistant response prefill is incompatible with enable_thinking.',
      )
    if (malformedArguments(messages) !== undefined)
      return refuse(500, 'server_error', 'Failed to parse tool call arguments as JSON')
    if (n !== undefined && n > 1)
      return refuse(400, 'invalid_request_error', 'Only one completion choice is allowed')
    return undefined
  },
  question: chatQuestion,
  returned: chatReturned(['reasoning_content']),
  reply(move, tokens, serial, body) {
    const write = chunker({
      created: 1_790_000_000,
      id: `chatcmpl-${letters(serial, 32)}`,
      model: body.model,
      system_fingerprint: 'b9444-9731ad3f2',
      object: 'chat.completion.chunk',
    })
    const calls = (move.calls ?? []).map((call, at) => wireCall(letters(serial * 10 + at, 32), call))
    const thoughts = move.thoughts ?? ''
    const usage = {
      ...{ completion_tokens: tokens.completion, prompt_tokens: tokens.prompt },
      total_tokens: tokens.prompt + tokens.completion,
    }
    const timings = {
      cache_n: 236,
      prompt_n: 1,
      prompt_ms: 30.9,
      predicted_n: tokens.completion,
      predicted_ms: 661.1,
    }
    return {
      blocks: [
        write({ role: 'assistant', content: null }),
        ...pieces(thoughts).map((text) => write({ reasoning_content: text })),
        ...pieces(move.text ?? '').map((content) => write({ content })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          write({ tool_calls: [{ index, id, type, function: { name, arguments: text.slice(0, 1) } }] }),
          ...halves(text.slice(1)).map((half) =>
            write({ tool_calls: [{ index, function: { arguments: half } }] }),
          ),
        ]),
        write({}, finishOf(move), body.stream_options?.include_usage ? {} : { timings }),
        ...(body.stream_options?.include_usage ? [write(null, null, { usage, timings })] : []),
        done,
      ],
      issued: { reasoning_content: thoughts, ...(calls.length > 0 && { tool_calls: calls }) },
    }
  },
  busy: {
    status: 503,
    body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
  },
}
