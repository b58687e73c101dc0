import type { Finish, FinishReason } from '../provider.ts'
import type { ReportedUsage } from '../usage.ts'
import { CallFailure, errorText, isContextOverflow, isRecord, presentable } from './failure.ts'
import type { Payload } from './payloads.ts'
import { ToolCallAssembler } from './tool-call-assembler.ts'

type Json = Readonly<Record<string, unknown>>

/** Maximum characters of a reply's text and tool calls together. */
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
/** Finish reasons by which servers report that they broke off. */
const BROKEN_OFF = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource'])

function parseChunk(payload: Payload): Json | null {
  try {
    const chunk: unknown = JSON.parse(payload.data)
    if (isRecord(chunk)) return chunk
  } catch {
    // An incomplete payload at the end of the body is reported as a missing finish reason.
    if (payload.cut) return null
  }
  throw new CallFailure('upstream', "The model's server sent something that is not a chat completion.")
}

/** Text is a string or, from some servers, a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) =>
      isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join('')
}

/** Some servers number their choices, others do not. */
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

/** A complete reply. Its text has already been taken. */
export type AssembledReply = Pick<Finish, 'reason' | 'toolCalls'> & {
  /** Text and tool calls as the model wrote them. */
  readonly written: string
  readonly reported: ReportedUsage
}

/** Assembles one reply from its payloads, in every form that upstreams use. */
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

  /** Whether the upstream reported the end of the reply. */
  get done(): boolean {
    return this.#done
  }

  /** Whether the upstream gave its finish reason. Only usage can follow. */
  get finished(): boolean {
    return this.#reason !== null
  }

  /**
   * Accepts payloads until the end of the reply or the first fault. The fault is returned, so that earlier text
   * still counts.
   */
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

  /** Returns the text since the last call. */
  takeText(): string {
    const text = this.#text.slice(this.#taken).join('')
    this.#taken = this.#text.length
    return text
  }

  /**
   * The assembled reply. Some servers send no finish reason: a reply with content and an explicit end is then
   * complete.
   * @throws CallFailure if it is not complete.
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
    // A whole message is the reply. Some servers repeat it after a stream of deltas, so it is then ignored.
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

  /** The part within the limit is kept. A turn's own text limit, which is far smaller, cuts it there. */
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

  /** Some servers send `stop` with tool calls; others send `tool_calls` without any. */
  #effectiveReason(reason: FinishReason): FinishReason {
    if (reason !== 'stop' && reason !== 'tool_calls') return reason
    return this.#calls.count > 0 ? 'tool_calls' : 'stop'
  }
}
