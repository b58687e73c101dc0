import {
  chatQuestion,
  chatReturned,
  chunker,
  done,
  finishOf,
  isCalling,
  wireCall,
} from './chat-completions.ts'
import { checkOpenAiMessages } from './openai.ts'
import {
  type Body,
  halves,
  type Issued,
  letters,
  type Provider,
  pieces,
  plain,
  type Refusal,
  sse,
} from './provider.ts'

/**
 * OpenRouter with a model of Anthropic behind it.
 *
 * Documentation: https://openrouter.ai/docs/api-reference/streaming (`: OPENROUTER PROCESSING`),
 * https://openrouter.ai/docs/use-cases/reasoning-tokens (`reasoning_details` go back unmodified, in their order; texts
 * and signature come in pieces with one index), https://openrouter.ai/docs/use-cases/usage-accounting (`usage.cost`),
 * https://openrouter.ai/docs/api-reference/errors-and-debugging (refusals of a provider in `metadata.raw`). From users'
 * reports: the last chunk has an empty delta with a role beside the usage.
 */

const signatures = new Map<string, string>()
const issuedCalls = new Set<string>()

function refuse(message: string): Refusal {
  const raw = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })
  const error = {
    message: 'Provider returned error',
    code: 400,
    metadata: { raw, provider_name: 'Anthropic' },
  }
  return plain(400, { error, user_id: 'user_2x' })
}

/** The reasoning of a message, with the pieces of one index joined. */
function reasoningOf(details: Body): { readonly text: string; readonly signature: string } {
  const of = (member: string) => (details ?? []).map((detail: Body) => detail[member] ?? '').join('')
  return { text: of('text'), signature: of('signature') }
}

function checkReasoning(messages: Body): Refusal | undefined {
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const { text, signature } = reasoningOf(message.reasoning_details)
    if (text === '' && signature === '') {
      // A call that the client made itself has none.
      if (!isCalling(message) || !message.tool_calls.some(({ id }: Body) => issuedCalls.has(id))) continue
      return refuse(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
      )
    }
    if (signatures.get(signature) !== text)
      return refuse(`messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`)
  }
  return undefined
}

/** OpenRouter takes members that OpenAI does not have. */
const withoutReasoning = (messages: Body): Body =>
  messages.map(({ reasoning_details: _, reasoning: __, ...message }: Body) => message)

export const openrouter: Provider = {
  name: 'OpenRouter',
  base: '/api/v1',
  path: '/chat/completions',
  entry: { images: true },
  check(body) {
    if (body.temperature !== undefined && body.top_p !== undefined)
      return refuse('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
    return checkOpenAiMessages(withoutReasoning(body.messages)) ?? checkReasoning(body.messages)
  },
  question: chatQuestion,
  returned: (body) =>
    chatReturned(['reasoning_details'])(body).map(
      ({ reasoning_details: details, ...rest }): Issued => ({ ...rest, ...reasoningOf(details) }),
    ),
  reply(move, tokens, serial, body) {
    const write = chunker({
      id: `gen-1790000000-${letters(serial, 20)}`,
      provider: 'Anthropic',
      model: body.model,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
    })
    const say = (delta: object, finish: string | null = null, more: object = {}) =>
      write({ role: 'assistant', content: '', ...delta }, finish, more, {
        native_finish_reason: finish === 'tool_calls' ? 'tool_use' : finish,
        logprobs: null,
      })
    const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
    const thoughts = move.thoughts ?? ''
    const signature = `EqQBCgIYAhIM${letters(serial, 80)}==`
    signatures.set(signature, thoughts)
    const calls = (move.calls ?? []).map((call, at) =>
      wireCall(`toolu_01${letters(serial * 10 + at, 22)}`, call),
    )
    for (const { id } of calls) issuedCalls.add(id)
    const usage = {
      ...{ prompt_tokens: tokens.prompt, completion_tokens: tokens.completion },
      ...{
        total_tokens: tokens.prompt + tokens.completion,
        cost: tokens.completion / 10_000,
        is_byok: false,
      },
      prompt_tokens_details: { cached_tokens: 256, audio_tokens: 0 },
      cost_details: { upstream_inference_cost: null },
      completion_tokens_details: { reasoning_tokens: 11 },
    }
    const keepAlive = ': OPENROUTER PROCESSING\n\n'
    return {
      blocks: [
        keepAlive,
        keepAlive,
        ...pieces(thoughts).map((text) => say({ reasoning: text, reasoning_details: [{ ...detail, text }] })),
        say({ reasoning: null, reasoning_details: [{ ...detail, signature }] }),
        keepAlive,
        ...pieces(move.text ?? '').map((content) => say({ content })),
        ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
          say({ content: null, tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
          ...halves(text).map((half) =>
            say({ content: null, tool_calls: [{ index, type, function: { arguments: half } }] }),
          ),
        ]),
        say({}, finishOf(move)),
        say({}, null, { usage }),
        done,
      ],
      issued: { text: thoughts, signature, ...(calls.length > 0 && { tool_calls: calls }) },
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: {
      error: {
        message: 'Provider returned error',
        code: 429,
        metadata: {
          raw: 'temporarily rate-limited upstream. Please retry shortly',
          provider_name: 'Anthropic',
        },
      },
      user_id: 'user_2x',
    },
  },
  broken: [
    sse({
      ...{
        id: 'gen-1790000000-x',
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        provider: 'Anthropic',
      },
      error: { code: 'server_error', message: 'Provider disconnected unexpectedly' },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    }),
  ],
  refuses: { sent: { temperature: 0.2, top_p: 0.9 }, param: 'top_p' },
}
