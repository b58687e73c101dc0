import { endsEarly, type ModelStep, type StepRecord, type TurnEnd } from '../events.ts'
import type { FinishReason, ModelMessage, ModelRequest, ToolCall, ToolChoice, ToolSpec } from '../provider.ts'
import { answerFormatOf } from '../schema/answer-format.ts'
import { firstBytes, storable } from '../storable-text.ts'
import type { ToolOutcome } from '../tools.ts'
import { fitContext } from './context.ts'
import type { LoopInput } from './loop-input.ts'

export const finished = (reason: FinishReason, notice: string | null = null): TurnEnd => ({
  type: 'turn.finished',
  reason,
  notice,
})

const silentNotice =
  'The model reached its limit of tokens before its answer began. Raise `max_tokens`, or leave it out.'

/**
 * The state of a turn: the conversation for the model, and the counters for the limits. It depends only on the
 * finished steps, so a later attempt continues exactly like the earlier one.
 */
export class Turn<T> {
  readonly toolSpecs: readonly ToolSpec[]
  readonly messages: ModelMessage[]
  readonly refusals = new Map<string, ToolOutcome<T>>()
  step = 0
  modelCalls = 0
  textLength = 0
  readonly #input: LoopInput<T>
  readonly #clientToolNames: ReadonlySet<string>
  readonly #answered = new Set<string>()
  readonly #callCounts = new Map<string, number>()
  #lastReply: ModelStep | undefined
  #toolBytes = 0

  constructor(input: LoopInput<T>) {
    this.#input = input
    this.#clientToolNames = new Set(input.clientTools.map((tool) => tool.name))
    const { specs } = input.tools
    this.toolSpecs =
      input.clientTools.length === 0
        ? specs
        : [...specs.filter(({ name }) => !this.#clientToolNames.has(name)), ...input.clientTools]
    this.messages = [...input.messages]
    for (const record of input.finished) this.add(record)
  }

  add(record: StepRecord): void {
    this.step += 1
    if (record.kind === 'tool') {
      this.#answered.add(record.call.id)
      this.#toolBytes += Buffer.byteLength(record.content)
      this.messages.push({ role: 'tool', callId: record.call.id, content: record.content })
      return
    }
    if (!record.preset) this.modelCalls += 1
    if (record.text !== '') this.textLength += (this.textLength > 0 ? 2 : 0) + record.text.length
    this.#lastReply = record
    const { text, toolCalls, attached } = record
    this.messages.push({ role: 'assistant', content: text, toolCalls, ...(attached && { attached }) })
    for (const call of this.openCalls()) this.#admit(call)
  }

  /** Calls of the last reply that this service runs and that have no result. */
  openCalls(): readonly ToolCall[] {
    if (!this.#lastReply || endsEarly(this.#lastReply)) return []
    return this.#lastReply.toolCalls.filter(
      (call) => !this.#clientToolNames.has(call.name) && !this.#answered.has(call.id),
    )
  }

  /** How the turn ends after the last reply, whose calls of our tools have results. Null: it continues. */
  end(): TurnEnd | null {
    const reply = this.#lastReply
    if (!reply) return null
    if (endsEarly(reply)) return finished(reply.reason, this.#isSilent(reply) ? silentNotice : null)
    if (reply.toolCalls.some((call) => this.#clientToolNames.has(call.name))) return finished('tool_calls')
    return reply.toolCalls.length === 0 ? finished('stop') : null
  }

  /** Whether the model used all its tokens without a word of its answer: it reasoned. */
  #isSilent({ reason }: ModelStep): boolean {
    return reason === 'length' && this.textLength === 0 && !answerFormatOf(this.#input.sampling)
  }

  /** Counts a call of the new reply. A call that may not run gets its result in `refusals`. */
  #admit(call: ToolCall): void {
    const key = JSON.stringify([call.name, call.arguments])
    const count = (this.#callCounts.get(key) ?? 0) + 1
    this.#callCounts.set(key, count)
    const repeated = count > this.#input.limits.repeatedCalls
    if (!repeated && !this.#isFull) return
    const error = repeated
      ? 'This call was already made with the same arguments. Answer with what you have.'
      : 'The turn has reached its limit of tool results. Answer with what you have.'
    this.refusals.set(call.id, { isError: true, content: JSON.stringify({ error }) })
  }

  get #isFull(): boolean {
    return this.#toolBytes >= this.#input.limits.toolBytes
  }

  /** Makes a result storable, and cuts it with a note if it would exceed the turn's limit of bytes. */
  bounded(outcome: ToolOutcome<T>): ToolOutcome<T> {
    const content = storable(outcome.content)
    const room = Math.max(this.#input.limits.toolBytes - this.#toolBytes, 0)
    if (Buffer.byteLength(content) <= room || outcome.isError) return { ...outcome, content }
    // The model did not see the part that was cut off, so this result cannot be cited.
    return { ...outcome, sources: [], content: `${firstBytes(content, room)}… [cut: limit of the turn]` }
  }

  /** The next request to the model. */
  request(): ModelRequest {
    return {
      messages: fitContext(this.messages, this.#input.limits.contextTokens),
      tools: this.toolSpecs,
      toolChoice: this.toolChoice(),
      sampling: this.#input.sampling,
    }
  }

  toolChoice(): ToolChoice {
    const lastCall = this.modelCalls + 1 >= this.#input.limits.modelCalls
    if (this.refusals.size > 0 || this.#isFull || lastCall) return 'none'
    // A required tool applies to the first reply only. Otherwise the turn would never end.
    return this.modelCalls === 0 ? this.#input.toolChoice : 'auto'
  }
}
