import type { Finish, FinishReason } from '../provider.ts'
import type { ReportedUsage } from '../usage.ts'
import { CallFailure, errorText, isContextOverflow, isRecord, presentable } from './openai-failure.ts'
import type { Payload } from './openai-payloads.ts'
import { ToolCallAssembler } from './openai-tool-calls.ts'

type Json = Readonly<Record<string, unknown>>

/** Bound on a reply's text and tool calls together. */
const REPLY_CHARACTERS = 2 * 1024 * 1024

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
])
/** Reasons by which servers say that they could not go on. */
const BROKEN_OFF = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource'])

function parseChunk(payload: Payload): Json | null {
  try {
    const chunk: unknown = JSON.parse(payload.data)
    if (isRecord(chunk)) return chunk
  } catch {
    // Half a payload at the end of the body is missed as a missing finish, which is what it is.
    if (payload.cut) return null
  }
  throw new CallFailure('upstream', "The model's server sent something that is not a chat completion.")
}

/** Text as a string or, from some servers, as a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) =>
      isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join('')
}

/** Some servers number their choices, some do not. */
function firstChoice(choices: unknown): Json | undefined {
  if (!Array.isArray(choices)) return undefined
  for (const choice of choices) {
    if (isRecord(choice) && (choice['index'] === 0 || typeof choice['index'] !== 'number')) return choice
  }
  return undefined
}

function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** What a complete reply comes to; its text has been taken. */
export type AssembledReply = Pick<Finish, 'reason' | 'toolCalls'> & {
  /** Text and tool calls, as the model wrote them. */
  readonly written: string
  readonly reported: ReportedUsage
}

/** Takes the payloads of one reply, in whatever form the upstream sends them, and tells what they come to. */
export class ReplyAssembler {
  readonly #apiKey: string | undefined
  readonly #calls = new ToolCallAssembler()
  readonly #text: string[] = []
  #taken = 0
  #length = 0
  #reason: FinishReason | null = null
  #done = false
  #promptTokens: number | undefined
  #completionTokens: number | undefined

  constructor(apiKey: string | undefined) {
    this.#apiKey = apiKey
  }

  /** The upstream has said that nothing follows. */
  get done(): boolean {
    return this.#done
  }

  /** The upstream has given its finish reason; only usage can follow. */
  get finished(): boolean {
    return this.#reason !== null
  }

  /** Takes payloads up to the end of the reply or the first fault, which is returned so that text before it counts. */
  acceptAll(payloads: readonly Payload[]): CallFailure | null {
    try {
      for (const payload of payloads) {
        if (!this.#done) this.#accept(payload)
      }
      return null
    } catch (fault) {
      if (fault instanceof CallFailure) return fault
      throw fault
    }
  }

  /** The text that came since the last time. */
  takeText(): string {
    const text = this.#text.slice(this.#taken).join('')
    this.#taken = this.#text.length
    return text
  }

  /**
   * What the reply comes to. Some servers never give a finish reason: one that has said something, and then that nothing
   * follows, has finished.
   * @throws CallFailure when the reply is not complete.
   */
  finish(): AssembledReply {
    const said = this.#text.length > 0 || this.#calls.count > 0
    const reason = this.#reason ?? (this.#done && said ? 'stop' : null)
    if (reason === null) {
      throw new CallFailure('upstream', "The model's reply ended early, without a finish reason.", {
        retryable: true,
      })
    }
    const toolCalls = this.#calls.finish()
    const calls = toolCalls.map((call) => call.name + call.arguments)
    return {
      reason: this.#effectiveReason(reason),
      toolCalls,
      written: this.#text.join('') + calls.join(''),
      reported: { promptTokens: this.#promptTokens, completionTokens: this.#completionTokens },
    }
  }

  #accept(payload: Payload): void {
    if (payload.data.trim() === '[DONE]') {
      this.#done = true
      return
    }
    const chunk = parseChunk(payload)
    if (!chunk) return
    this.#throwError(chunk, payload.event)
    this.#noteUsage(chunk['usage'])
    const choice = firstChoice(chunk['choices'])
    if (choice) this.#acceptChoice(choice)
  }

  #throwError(chunk: Json, event: string | undefined): void {
    const plain = chunk['object'] === 'error' || event === 'error'
    if (!plain && !chunk['error']) return
    const said = errorText(chunk)
    const kind = isContextOverflow(JSON.stringify(chunk)) ? 'context' : 'upstream'
    throw new CallFailure(kind, presentable(`The model's server reported an error: ${said}`, this.#apiKey))
  }

  #noteUsage(usage: unknown): void {
    if (!isRecord(usage)) return
    this.#promptTokens = tokenCount(usage['prompt_tokens']) ?? this.#promptTokens
    this.#completionTokens = tokenCount(usage['completion_tokens']) ?? this.#completionTokens
  }

  #acceptChoice(choice: Json): void {
    const { delta, message } = choice
    if (isRecord(delta)) this.#acceptDelta(delta)
    // A whole message counts as the reply; at the end of a stream of deltas some servers repeat all of it.
    else if (isRecord(message) && this.#length === 0) this.#acceptDelta(message)
    this.#noteReason(choice['finish_reason'] ?? (isRecord(message) ? 'stop' : null))
  }

  #acceptDelta(delta: Json): void {
    this.#addText(textOf(delta['content']) + textOf(delta['refusal']))
    const calls = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []
    for (const call of calls) this.#grow(this.#calls.add(call))
    const legacy = delta['function_call']
    if (isRecord(legacy)) this.#grow(this.#calls.add({ index: 'function_call', function: legacy }))
  }

  /** What fits of a text that is too long is kept: a turn's own bound on text, which is far smaller, cuts it there. */
  #addText(text: string): void {
    if (text === '') return
    this.#text.push(text.slice(0, REPLY_CHARACTERS - this.#length))
    this.#grow(text.length)
  }

  #grow(characters: number): void {
    this.#length += characters
    if (this.#length > REPLY_CHARACTERS) {
      throw new CallFailure('upstream', "The model's reply is longer than this service takes.")
    }
  }

  #noteReason(reason: unknown): void {
    if (typeof reason !== 'string' || reason === '') return
    if (BROKEN_OFF.has(reason)) {
      throw new CallFailure('upstream', `The model's server broke off with the reason "${reason}".`)
    }
    this.#reason = FINISH_REASONS.get(reason.toLowerCase()) ?? 'stop'
  }

  /** Several servers say `stop` beside tool calls, some `tool_calls` without one. */
  #effectiveReason(reason: FinishReason): FinishReason {
    if (reason !== 'stop' && reason !== 'tool_calls') return reason
    return this.#calls.count > 0 ? 'tool_calls' : 'stop'
  }
}
