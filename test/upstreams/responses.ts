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
 * OpenAI's Responses with a reasoning model.
 *
 * Documentation: https://platform.openai.com/docs/api-reference/responses and its streaming events,
 * https://platform.openai.com/docs/guides/reasoning (reasoning items go back with the calls that follow them; without
 * storage they need their `encrypted_content`). From users' reports: the texts of refusals, and that reasoning items
 * are refused by themselves and calls without theirs.
 */

const members = [
  ...['model', 'input', 'instructions', 'stream', 'tools', 'tool_choice', 'parallel_tool_calls', 'store'],
  ...['max_output_tokens', 'max_tool_calls', 'temperature', 'top_p', 'text', 'reasoning', 'include', 'user'],
  ...['metadata', 'truncation', 'service_tier', 'prompt_cache_key', 'safety_identifier', 'stream_options'],
  ...['previous_response_id', 'background', 'top_logprobs', 'prompt_cache_retention'],
]

/** Ids of reasoning items by the id of the call that follows them, and what they hold. */
const reasoningBefore = new Map<string, string>()
const encrypted = new Map<string, string>()

const refuse = (
  message: string,
  param: string | null = 'input',
  code: string | null = null,
  status = 400,
): Refusal => plain(status, { error: { message, type: 'invalid_request_error', param, code } })

function checkThought({ id, encrypted_content: content }: Body, next: Body): Refusal | undefined {
  if (![...encrypted.values()].includes(content))
    return refuse(
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      'input',
      null,
      404,
    )
  if (next && isOfModel(next)) return undefined
  return refuse(`Item '${id}' of type 'reasoning' was provided without its required following item.`)
}

/** A call is known by its item's id or, where that is left out, by the id that results name. */
function checkReasoning(input: Body): Refusal | undefined {
  for (const [at, item] of input.entries()) {
    if (item.type === 'reasoning') {
      const refusal = checkThought(item, input[at + 1])
      if (refusal) return refusal
    }
    const needed = item.type === 'function_call' ? reasoningBefore.get(item.call_id) : undefined
    const thoughts = input.slice(0, at).map((one: Body) => one.encrypted_content)
    if (needed !== undefined && !thoughts.includes(encrypted.get(needed)))
      return refuse(
        `Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item: '${needed}'.`,
      )
  }
  return undefined
}

function checkCalls(input: Body): Refusal | undefined {
  const of = (type: string) =>
    input.filter((item: Body) => item.type === type).map((item: Body) => item.call_id as string)
  const [called, answered] = [of('function_call'), of('function_call_output')]
  const left = called.find((id: string) => !answered.includes(id))
  if (left !== undefined) return refuse(`No tool output found for function call ${left}.`)
  const stray = answered.find((id: string) => !called.includes(id))
  if (stray !== undefined) return refuse(`No tool call found for function call output with call_id ${stray}.`)
  return undefined
}

const textOf = ({ content }: Body): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }: Body) => text ?? '').join('\n')

const isOfModel = (item: Body) =>
  item.role === 'assistant' || ['reasoning', 'function_call'].includes(item.type)

/** The model's items, one list per reply: a reply ends where another item follows, or after its message. */
function repliesOf(input: Body): Body[][] {
  const replies: Body[][] = []
  for (const [at, item] of input.entries()) {
    if (!isOfModel(item)) continue
    const before = input[at - 1]
    if (before && isOfModel(before) && before.role !== 'assistant') replies.at(-1)?.push(item)
    else replies.push([item])
  }
  return replies
}

export const responses: Provider = {
  name: 'OpenAI Responses',
  base: '/v1',
  path: '/responses',
  entry: { api: 'openai-responses', images: true },
  check(body, headers) {
    if (headers.authorization !== 'Bearer key')
      return refuse("You didn't provide an API key.", null, 'invalid_api_key', 401)
    const unknown = Object.keys(body).find((member) => !members.includes(member))
    if (unknown !== undefined) return refuse(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
    for (const param of ['temperature', 'top_p'])
      if (body[param] !== undefined)
        return refuse(`Unsupported parameter: '${param}' is not supported with this model.`, param)
    const reference = body.input.find(({ type }: Body) => type === 'item_reference')
    if (reference && (body.store === false || !encrypted.has(reference.id)))
      return refuse(`Item with id '${reference.id}' not found.`, 'input', null, 404)
    return checkReasoning(body.input) ?? checkCalls(body.input)
  },
  question({ input }) {
    const at = input.findLastIndex((item: Body) => item.role === 'user' && isPlanned(textOf(item)))
    return at < 0
      ? { text: '', steps: 0 }
      : { text: textOf(input[at]), steps: repliesOf(input.slice(at + 1)).length }
  },
  returned: ({ input }) =>
    repliesOf(input).map(
      (items): Issued => ({
        reasoning: items.filter(({ type }) => type === 'reasoning').map((item) => item.encrypted_content),
        calls: items
          .filter(({ type }) => type === 'function_call')
          .map(({ call_id, name, arguments: text }) => ({ call_id, name, arguments: text })),
      }),
    ),
  reply(move, tokens, serial, body) {
    let sequence = 0
    const event = (type: string, more: object) => sse({ type, sequence_number: sequence++, ...more }, type)
    const response = {
      ...{
        id: `resp_${letters(serial, 48)}`,
        object: 'response',
        created_at: 1_790_000_000,
        model: body.model,
      },
      ...{ error: null, incomplete_details: null, store: body.store ?? true, parallel_tool_calls: true },
    }
    const thought = {
      ...{ id: `rs_${letters(serial, 48)}`, type: 'reasoning' },
      encrypted_content: `gAAAAAB${letters(serial + 3, 120)}==`,
      summary: [],
    }
    encrypted.set(thought.id, thought.encrypted_content)
    const calls = (move.calls ?? []).map((call, at) => ({
      ...{ id: `fc_${letters(serial * 10 + at, 48)}`, type: 'function_call', status: 'completed' },
      ...{ call_id: `call_${letters(serial * 10 + at, 24)}`, name: call.name },
      arguments: JSON.stringify(call.arguments),
    }))
    for (const { call_id } of calls) reasoningBefore.set(call_id, thought.id)
    const text = move.text ?? ''
    const message = { id: `msg_${letters(serial, 48)}`, type: 'message', role: 'assistant' }
    const part = (content: string) => ({ type: 'output_text', annotations: [], logprobs: [], text: content })
    const spoken = { ...message, status: 'completed', content: [part(text)] }
    const usage = {
      ...{ input_tokens: tokens.prompt, input_tokens_details: { cached_tokens: 64 } },
      ...{ output_tokens: tokens.completion, output_tokens_details: { reasoning_tokens: 15 } },
      total_tokens: tokens.prompt + tokens.completion,
    }
    const output = [thought, ...calls, ...(text === '' ? [] : [spoken])]
    const isWhole = !move.cutShort
    const end = {
      ...{ ...response, status: isWhole ? 'completed' : 'incomplete', output, usage },
      incomplete_details: isWhole ? null : { reason: 'max_output_tokens' },
    }
    const place = { item_id: message.id, output_index: 1, content_index: 0 }
    const added = (output_index: number, item: object) =>
      event('response.output_item.added', { output_index, item })
    const over = (output_index: number, item: object) =>
      event('response.output_item.done', { output_index, item })
    return {
      blocks: [
        event('response.created', {
          response: { ...response, status: 'in_progress', output: [], usage: null },
        }),
        event('response.in_progress', {
          response: { ...response, status: 'in_progress', output: [], usage: null },
        }),
        added(0, thought),
        over(0, thought),
        ...calls.flatMap((call, at) => [
          added(at + 1, { ...call, status: 'in_progress', arguments: '' }),
          ...halves(call.arguments).map((delta) =>
            event('response.function_call_arguments.delta', {
              item_id: call.id,
              output_index: at + 1,
              delta,
            }),
          ),
          event('response.function_call_arguments.done', {
            ...{ item_id: call.id, output_index: at + 1, arguments: call.arguments },
          }),
          over(at + 1, call),
        ]),
        ...(text === ''
          ? []
          : [
              added(1, { ...message, status: 'in_progress', content: [] }),
              event('response.content_part.added', { ...place, part: part('') }),
              ...pieces(text).map((delta) =>
                event('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation: 'aB3' }),
              ),
              event('response.output_text.done', { ...place, text, logprobs: [] }),
              event('response.content_part.done', { ...place, part: part(text) }),
              over(1, spoken),
            ]),
        event(isWhole ? 'response.completed' : 'response.incomplete', { response: end }),
      ],
      issued: {
        reasoning: [thought.encrypted_content],
        calls: calls.map(({ call_id, name, arguments: args }) => ({ call_id, name, arguments: args })),
      },
    }
  },
  busy: {
    status: 429,
    headers: { 'retry-after': '1', 'retry-after-ms': '1000' },
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
    sse(
      {
        ...{ type: 'error', sequence_number: 9, code: 'server_error', param: null },
        message: 'The server had an error while processing your request.',
      },
      'error',
    ),
  ],
  refuses: { sent: { temperature: 0.2 }, param: 'temperature' },
}
