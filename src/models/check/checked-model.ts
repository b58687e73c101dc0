import type { StepRecord } from '../../agent/events.ts'
import { defaultLimits } from '../../agent/limits.ts'
import { runAgent } from '../../agent/loop/loop.ts'
import type {
  CallEnd,
  Finish,
  ModelMessage,
  ModelRequest,
  Provider,
  Sampling,
  TextListener,
  ToolCall,
  Usage,
} from '../../agent/provider.ts'
import type { Tool, Toolbox } from '../../agent/tools.ts'
import { estimateUsage } from '../../agent/usage.ts'
import { newId } from '../../ids.ts'
import type { CatalogueModel } from '../model-catalogue.ts'
import { samplingFor } from '../sampling.ts'

/** Maximum time of one call. A reasoning model on a slow machine needs minutes for a long prompt. */
const callMs = 180_000
/** Maximum characters of one reply. No check needs a tenth of it. */
const maxReplyLength = 20_000

/** One call as it went. Times are in milliseconds. */
export type CheckedCall = {
  readonly request: ModelRequest
  readonly end: CallEnd
  /** Everything that the model wrote, also reasoning that its server left in the text. */
  readonly text: string
  readonly pieces: number
  readonly firstTextMs: number | null
  readonly ms: number
  readonly usage: Usage
}

/** A call that gave no complete reply. A check that expects a reply does not catch it. */
export class FailedCall extends Error {
  override readonly name = 'FailedCall'
  readonly call: CheckedCall

  constructor(call: CheckedCall) {
    super(call.end.type === 'error' ? call.end.message : 'The reply does not end.')
    this.call = call
  }
}

/** Tags of reasoning, as models write them. Providers drop those that they know, at the beginning of a reply. */
const reasoningEnd = /^[\s\S]*(?:<\/(?:think|thinking|thought|reasoning)>|\[\/think\]|◁\/think▷)\s*/i
export const reasoningMark =
  /<\/?(?:think|thinking|thought|reasoning)>|\[\/?think\]|◁\/?think▷|<\|channel\|?>/i

export type Question = Partial<Omit<ModelRequest, 'messages'>> & {
  readonly messages: readonly ModelMessage[]
}

export type Answer = { readonly text: string; readonly finish: Finish; readonly call: CheckedCall }

export type TurnAnswer = {
  readonly text: string
  readonly toolCalls: number
  /** Why the turn failed although its calls succeeded. */
  readonly failure: string | undefined
}

/** The model under check. It makes calls and turns, and keeps how each call went. */
export class CheckedModel {
  readonly facts: Pick<
    CatalogueModel,
    'contextTokens' | 'readsImages' | 'isLite' | 'prompt' | 'defaults' | 'maxOutputTokens'
  >
  readonly calls: CheckedCall[] = []
  readonly #provider: Provider
  readonly #signal: AbortSignal
  readonly #now: () => number

  /** @param now the clock, in milliseconds. */
  constructor(model: CatalogueModel, signal: AbortSignal, now: () => number = () => performance.now()) {
    this.facts = model
    this.#provider = model.provider
    this.#signal = signal
    this.#now = now
  }

  /**
   * Makes one call.
   * @param cancel ends this call at its first text.
   * @throws FailedCall unless the reply is complete.
   */
  async ask(question: Question, cancel?: AbortController): Promise<Answer> {
    const request = { tools: [], toolChoice: 'auto', sampling: {}, ...question } as const
    const call = await this.#call(request, this.#signal, cancel)
    if (call.end.type !== 'finish') throw new FailedCall(call)
    return { text: withoutReasoning(call.text), finish: call.end, call }
  }

  /** Runs a turn in the agent loop of the service. @throws FailedCall if one of its calls fails. */
  async turn(
    messages: readonly ModelMessage[],
    tools: readonly Tool<null>[],
    more: { readonly firstCalls?: readonly Omit<ToolCall, 'id'>[]; readonly sampling?: Sampling } = {},
  ): Promise<TurnAnswer> {
    const steps: StepRecord[] = []
    let failed: CheckedCall | undefined
    const provider: Provider = {
      ask: async (request, signal, onText) => {
        const call = await this.#call(request, signal)
        if (call.end.type === 'finish') onText(withoutReasoning(call.text))
        else failed = call
        return call.end
      },
    }
    const end = await runAgent(
      {
        ...{ provider, messages, clientTools: [], toolChoice: 'auto', finished: [], sampling: {}, ...more },
        tools: toolbox(tools),
        limits: { ...defaultLimits, contextTokens: this.facts.contextTokens },
        journal: {
          model: (record) => void steps.push(record),
          tool: async (_, call, { content, isError = false }) => {
            const step = { kind: 'tool', call, content, isError, sources: [], files: [] } as const
            steps.push(step)
            return step
          },
        },
        budget: async () => null,
        toolBudget: async () => null,
        newCallId: () => newId('call'),
        signal: this.#signal,
      },
      () => undefined,
    )
    if (failed) throw new FailedCall(failed)
    return {
      text: steps.map((step) => (step.kind === 'model' ? step.text : '')).join('\n'),
      toolCalls: steps.filter((step) => step.kind === 'tool').length - (more.firstCalls?.length ?? 0),
      failure: end.type === 'turn.failed' ? end.message : undefined,
    }
  }

  async #call(asked: ModelRequest, signal: AbortSignal, cancel?: AbortController): Promise<CheckedCall> {
    const request = { ...asked, sampling: samplingFor(this.facts, asked.sampling) }
    const timeout = AbortSignal.timeout(callMs)
    const ending = AbortSignal.any([signal, timeout, ...(cancel ? [cancel.signal] : [])])
    const started = this.#now()
    let [text, pieces] = ['', 0]
    let firstTextMs: number | null = null
    const onText: TextListener = (piece) => {
      firstTextMs ??= this.#now() - started
      text += piece
      pieces += 1
      cancel?.abort()
      return text.length <= maxReplyLength
    }
    const end = await this.#provider.ask(request, ending, onText)
    const call: CheckedCall = {
      ...{ request, text, pieces, firstTextMs, ms: this.#now() - started },
      end: timeout.aborted && end.type === 'error' ? { ...end, kind: 'timeout' } : end,
      usage: end.type === 'finish' ? end.usage : estimateUsage(request, text),
    }
    this.calls.push(call)
    return call
  }
}

/** The text that the other checks judge. Reasoning before the answer is the finding of one check alone. */
const withoutReasoning = (text: string): string => text.replace(reasoningEnd, '')

export const user = (content: string): ModelMessage => ({ role: 'user', content })

/** The tools of a turn or call. */
export function toolbox(tools: readonly Tool<null>[]): Toolbox<null> {
  return { specs: tools.map(({ spec }) => spec), get: (name) => tools.find(({ spec }) => spec.name === name) }
}
