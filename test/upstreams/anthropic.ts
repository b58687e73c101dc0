import { isPlanned } from './plan.ts'
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
 * Anthropic's Messages.
 *
 * Documentation: https://docs.claude.com/en/api/messages, https://docs.claude.com/en/docs/build-with-claude/streaming
 * (events, `ping`, usage in the first and the last event), https://docs.claude.com/en/docs/build-with-claude/extended-thinking
 * (thinking blocks go back with their signature, unchanged), https://docs.claude.com/en/api/errors. From users' reports:
 * the texts of refusals; `temperature` beside `top_p`; empty texts; more than four cache marks.
 */

const members = [
  ...['model', 'messages', 'system', 'max_tokens', 'stream', 'tools', 'tool_choice', 'temperature', 'top_p'],
  ...['top_k', 'stop_sequences', 'thinking', 'metadata', 'service_tier', 'output_config', 'output_format'],
  ...['container', 'context_management', 'mcp_servers', 'cache_control', 'speed', 'inference_geo'],
]

const signatures = new Map<string, string>()

const refuse = (message: string, status = 400, type = 'invalid_request_error'): Refusal =>
  plain(status, { type: 'error', error: { type, message }, request_id: 'req_011CTWFo8VwtP772cB7XaHR7' })

const blocksOf = (content: Body): Body[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

function checkBlocks(message: Body, at: number): Refusal | undefined {
  const blocks = blocksOf(message.content)
  if (blocks.length === 0 || message.content === '')
    return refuse(
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
    )
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text' && block.text.trim() === '')
      return refuse('messages: text content blocks must contain non-whitespace text')
    if (block.type === 'thinking' && signatures.get(block.signature) !== block.thinking)
      return refuse(`messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`)
    if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(block.id))
      return refuse(
        `messages.${at}.content.${index}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
      )
  }
  return undefined
}

function checkRole({ role }: Body, at: number): Refusal | undefined {
  if (role === 'user' || role === 'assistant') return undefined
  return refuse(
    role === 'system'
      ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
      : `messages.${at}.role: Input should be 'user' or 'assistant'`,
  )
}

/** Calls and their results stand in neighbouring messages. */
function checkResults(messages: Body, at: number): Refusal | undefined {
  const blocks = (index: number) => blocksOf(messages[index]?.content ?? [])
  const answered = blocks(at + 1).map((block) => block.tool_use_id)
  const left = blocks(at).filter(({ type, id }) => type === 'tool_use' && !answered.includes(id))
  if (left.length > 0)
    return refuse(
      `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${left.map(({ id }) => id).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
  const called = blocks(at - 1).map(({ id }) => id)
  const stray = blocks(at).findIndex(
    (block) => block.type === 'tool_result' && !called.includes(block.tool_use_id),
  )
  if (stray < 0) return undefined
  return refuse(
    `messages.${at}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${blocks(at)[stray].tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  )
}

function checkMessages(messages: Body): Refusal | undefined {
  for (const [at, message] of messages.entries()) {
    const refusal = checkRole(message, at) ?? checkBlocks(message, at) ?? checkResults(messages, at)
    if (refusal) return refusal
  }
  return messages[0]?.role === 'user' ? undefined : refuse('messages: first message must use the "user" role')
}

/** With thinking on, a step of the current turn starts with its thoughts. */
function checkThinking({ thinking, messages, temperature, max_tokens: limit }: Body): Refusal | undefined {
  if (!['enabled', 'adaptive'].includes(thinking?.type)) return undefined
  if (limit <= (thinking.budget_tokens ?? 0))
    return refuse('`max_tokens` must be greater than `thinking.budget_tokens`.')
  if (temperature !== undefined && temperature !== 1)
    return refuse('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.')
  const last = messages.findLastIndex(({ role }: Body) => role === 'assistant')
  const [first] = last < 0 ? [] : blocksOf(messages[last].content)
  const isOpen = messages
    .slice(last + 1)
    .some(({ content }: Body) => blocksOf(content)[0]?.type === 'tool_result')
  if (isOpen && !['thinking', 'redacted_thinking'].includes(first?.type))
    return refuse(
      `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    )
  return undefined
}

const textOf = (content: Body) =>
  blocksOf(content)
    .map(({ text }) => text ?? '')
    .join('\n')

export const anthropic: Provider = {
  name: 'Anthropic',
  base: '/v1',
  path: '/messages',
  entry: { api: 'anthropic', images: true },
  check(body, headers) {
    if (headers['x-api-key'] !== 'key') return refuse('invalid x-api-key', 401, 'authentication_error')
    if (headers['anthropic-version'] !== '2023-06-01') return refuse('anthropic-version: header is required')
    const unknown = Object.keys(body).find((member) => !members.includes(member))
    if (unknown !== undefined) return refuse(`${unknown}: Extra inputs are not permitted`)
    if (body.max_tokens === undefined) return refuse('max_tokens: Field required')
    const marks = JSON.stringify(body).split('"cache_control"').length - 1
    if (marks > 4) return refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
    if (body.temperature !== undefined && body.top_p !== undefined)
      return refuse('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
    return checkMessages(body.messages) ?? checkThinking(body)
  },
  question({ messages }) {
    const at = messages.findLastIndex(
      ({ role, content }: Body) => role === 'user' && isPlanned(textOf(content)),
    )
    if (at < 0) return { text: '', steps: 0 }
    const steps = messages.slice(at + 1).filter(({ role }: Body) => role === 'assistant').length
    // Questions without a reply between them may share a message.
    return { text: blocksOf(messages[at].content).findLast(({ text }) => isPlanned(text ?? '')).text, steps }
  },
  returned: ({ messages }) =>
    messages
      .filter(({ role }: Body) => role === 'assistant')
      .map(
        ({ content }: Body): Issued => ({
          thinking: blocksOf(content)
            .filter(({ type }) => type === 'thinking')
            .map(({ thinking, signature }) => ({ thinking, signature })),
          calls: blocksOf(content)
            .filter(({ type }) => type === 'tool_use')
            .map(({ id, name, input }) => ({ id, name, input })),
        }),
      ),
  reply(move, tokens, serial, body) {
    const signature = `EqQBCgIYAhIM${letters(serial, 88)}==`
    const thoughts = move.thoughts ?? ''
    signatures.set(signature, thoughts)
    const calls = (move.calls ?? []).map((call, at) => ({
      id: `toolu_01${letters(serial * 10 + at, 22)}`,
      name: call.name,
      input: call.arguments,
    }))
    const event = (type: string, more: object) => sse({ type, ...more }, type)
    const delta = (index: number, more: object) => event('content_block_delta', { index, delta: more })
    const block = (index: number, content_block: object, deltas: readonly object[]) => [
      event('content_block_start', { index, content_block }),
      ...deltas.map((more) => delta(index, more)),
      event('content_block_stop', { index }),
    ]
    const cached = 128
    const usage = {
      input_tokens: tokens.prompt - cached,
      ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: cached, service_tier: 'standard' },
    }
    const text = move.text ?? ''
    return {
      blocks: [
        event('message_start', {
          message: {
            ...{ id: `msg_01${letters(serial, 22)}`, type: 'message', role: 'assistant', model: body.model },
            ...{ content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
          },
        }),
        ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
          ...pieces(thoughts).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature },
        ]),
        event('ping', {}),
        ...(text === ''
          ? []
          : block(
              1,
              { type: 'text', text: '' },
              pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
            )),
        ...calls.flatMap(({ id, name, input }, at) =>
          block(
            at + 1,
            { type: 'tool_use', id, name, input: {} },
            ['', ...halves(JSON.stringify(input))].map((partial_json) => ({
              type: 'input_json_delta',
              partial_json,
            })),
          ),
        ),
        event('message_delta', {
          delta: {
            stop_reason: calls.length > 0 ? 'tool_use' : move.cutShort ? 'max_tokens' : 'end_turn',
            stop_sequence: null,
          },
          usage: { ...usage, output_tokens: tokens.completion },
        }),
        event('message_stop', {}),
      ],
      issued: { thinking: [{ thinking: thoughts, signature }], calls },
    }
  },
  busy: {
    ...refuse('This request would exceed your organization’s rate limit.', 429, 'rate_limit_error'),
    headers: { 'retry-after': '1' },
  },
  broken: [sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error')],
  refuses: { sent: { temperature: 0.2, top_p: 0.9 }, param: 'top_p' },
}
