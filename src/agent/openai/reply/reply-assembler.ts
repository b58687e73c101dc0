import { isRecord, type Json } from '../../json.ts'
import type { Finish, FinishReason } from '../../provider.ts'
import type { ReportedUsage } from '../../usage.ts'
import { CallFailure, errorText, isContextOverflow, presentable } from '../failure.ts'
import type { Payload } from '../payloads.ts'
import { ChoiceSelector } from './choice-selector.ts'
import { ReplyMembers } from './reply-members.ts'
import { type ReasoningHabit, ReplyText } from './reply-text.ts'
import { ReplyUsage } from './reply-usage.ts'
import { ToolCallAssembler } from './tool-call-assembler.ts'

/** Maximum characters of a reply's text, tool calls and attached members together. */
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

/** Longer payloads are no `[DONE]`. */
const DONE_CHARACTERS = 16

function parseChunk(payload: Payload): Json | null {
  try {
    const value: unknown = JSON.parse(payload.data)
    // Gemini's endpoint sends its error in a list.
    const chunk: unknown = Array.isArray(value) ? value[0] : value
    if (isRecord(chunk)) return chunk
  } catch {
    if (payload.event === 'error') return { error: payload.data }
    // An incomplete payload at the end of the body is reported as a missing finish reason.
    if (payload.cut) return null
  }
  throw new CallFailure('upstream', "The model's server sent something that is not a chat completion.")
}

/** Text of a part of the content. Some servers leave its type out. */
function partText(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (!isRecord(part) || typeof part['text'] !== 'string') return undefined
  return part['type'] === 'text' || part['type'] === undefined ? part['text'] : undefined
}

/** A complete reply. Its text has already been taken. */
export type AssembledReply = Pick<Finish, 'reason' | 'toolCalls'> & {
  /** Words of refusal in place of text and tool calls; otherwise empty. */
  readonly refusal: string
  /** Text and tool calls as the model wrote them, without its reasoning. */
  readonly written: string
  readonly reported: ReportedUsage
  /** `AttachedReply` as JSON, if the server attached anything. */
  readonly attached: string | undefined
}

/** Assembles one reply from its payloads, in every form that upstreams use. */
export class ReplyAssembler {
  readonly #apiKey: string | undefined
  readonly #offered: readonly string[]
  readonly #text: ReplyText
  readonly #calls = new ToolCallAssembler()
  readonly #choices = new ChoiceSelector()
  readonly #members = new ReplyMembers()
  readonly #usage = new ReplyUsage()
  #refusal = ''
  #length = 0
  #reason: FinishReason | null = null
  #done = false
  #hasContent = false

  /**
   * @param offered names of the tools of the request.
   * @param habit what earlier replies of the upstream have shown.
   */
  constructor(
    apiKey: string | undefined,
    offered: readonly string[] = [],
    habit: ReasoningHabit = { closesOnly: false },
  ) {
    this.#apiKey = apiKey
    this.#offered = offered
    this.#text = new ReplyText(habit)
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
    return this.#text.take()
  }

  /** Accepts the end of the body. Text that was held back can then be taken. */
  end(): void {
    if (this.#reason === null) for (const choice of this.#choices.rest()) this.#acceptChoice(choice)
    this.#text.end(this.#reason === 'length')
    // Beside other content, words of refusal are text.
    if (this.#refusal === '' || (this.#text.isBlank && this.#calls.count === 0)) return
    this.#text.add(this.#refusal)
    this.#refusal = ''
    this.#text.end(false)
  }

  /**
   * The assembled reply, after `end`. Some servers send no finish reason: a reply with content and an explicit end,
   * or with whole tool calls, is then complete.
   * @throws CallFailure if it is not complete or holds only reasoning.
   */
  finish(): AssembledReply {
    const { calls, attached, areWhole } = this.#calls.finish(this.#offered)
    const isComplete = calls.length > 0 ? this.#done || areWhole : this.#done && this.#hasContent
    const reason = this.#reason ?? (isComplete ? 'stop' : null)
    if (reason === null) {
      throw new CallFailure('upstream', "The model's reply ended early, without a finish reason.", {
        retryable: true,
      })
    }
    const effective = this.#effectiveReason(reason)
    const hasReasoning = this.#text.hasReasoning || this.#members.hasReasoning
    if (effective === 'stop' && hasReasoning && this.#text.isBlank && this.#refusal === '') {
      throw new CallFailure('upstream', 'The model sent reasoning and no answer.')
    }
    return {
      reason: effective,
      toolCalls: calls,
      refusal: this.#refusal,
      written:
        this.#text.toString() + this.#refusal + calls.map((call) => call.name + call.arguments).join(''),
      reported: this.#usage.reported,
      attached: this.#members.json(attached),
    }
  }

  #accept(payload: Payload): void {
    if (payload.data.length < DONE_CHARACTERS && payload.data.trim().toLowerCase() === '[done]') {
      this.end()
      this.#done = true
      return
    }
    const chunk = parseChunk(payload)
    if (!chunk) return
    this.#throwError(chunk, payload.event)
    this.#usage.note(chunk)
    for (const choice of this.#choices.select(chunk['choices'])) this.#acceptChoice(choice)
  }

  #throwError(chunk: Json, event: string | undefined): void {
    const plain = chunk['object'] === 'error' || event === 'error'
    if (!plain && !chunk['error']) return
    const said = errorText(chunk)
    const kind = isContextOverflow(JSON.stringify(chunk)) ? 'context' : 'upstream'
    throw new CallFailure(kind, presentable(`The model's server reported an error: ${said}`, this.#apiKey))
  }

  #acceptChoice(choice: Json): void {
    this.#throwError(choice, undefined)
    const { delta, message } = choice
    if (isRecord(delta)) this.#acceptDelta(delta)
    // A whole message is the reply. Some servers repeat it after a stream of deltas, so it is then ignored.
    else if (isRecord(message) && !this.#hasContent) {
      this.#members.clear()
      this.#acceptDelta(message)
    }
    this.#noteReason(choice['finish_reason'] ?? (isRecord(message) ? 'stop' : null))
  }

  #acceptDelta(delta: Json): void {
    this.#addContent(delta['content'])
    this.#addRefusal(delta['refusal'])
    const { tool_calls: calls, function_call: legacy } = delta
    if (Array.isArray(calls)) for (const call of calls) this.#addCall(call)
    if (isRecord(legacy)) this.#addCall({ index: 'function_call', function: legacy })
    this.#grow(this.#members.add(delta))
  }

  /** Content is a string or, from some servers, a list of parts. */
  #addContent(content: unknown): void {
    if (typeof content === 'string') this.#addText(content)
    if (!Array.isArray(content)) return
    for (const part of content) {
      const text = partText(part)
      if (text !== undefined) this.#addText(text)
      else if (isRecord(part) && part['type'] === 'refusal') this.#addRefusal(part['refusal'])
      else if (isRecord(part)) this.#grow(this.#members.addPart(part))
    }
  }

  /** The part within the limit is kept. A turn's own text limit, which is far smaller, cuts it there. */
  #addText(text: string): void {
    if (text === '') return
    this.#hasContent = true
    this.#text.add(text.slice(0, REPLY_CHARACTERS - this.#length))
    this.#grow(text.length)
  }

  #addRefusal(words: unknown): void {
    if (typeof words !== 'string' || words === '') return
    this.#hasContent = true
    this.#refusal += words.slice(0, REPLY_CHARACTERS - this.#length)
    this.#grow(words.length)
  }

  #addCall(call: unknown): void {
    this.#hasContent = true
    this.#grow(this.#calls.add(call))
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
    this.#text.end(this.#reason === 'length')
  }

  /** Some servers send `stop` with tool calls; others send `tool_calls` without any. */
  #effectiveReason(reason: FinishReason): FinishReason {
    if (reason !== 'stop' && reason !== 'tool_calls') return reason
    return this.#calls.count > 0 ? 'tool_calls' : 'stop'
  }
}
