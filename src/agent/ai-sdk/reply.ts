import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { CallFailure } from '../openai/failure.ts'
import type { FinishReason, ToolCall } from '../provider.ts'
import type { ReportedUsage } from '../usage.ts'
import type { KeptPart } from './attached.ts'
import { streamFailure } from './failure.ts'
import { parameterOf } from './refused-parameter.ts'

type Part = LanguageModelV4StreamPart
type Of<Type extends Part['type']> = Extract<Part, { readonly type: Type }>

/** Maximum characters of a reply's text, thoughts and tool calls together. */
const maxCharacters = 2 * 1024 * 1024

/** A complete reply. Its text has already been taken. */
export type WholeReply = {
  readonly reason: FinishReason
  /** With unique ids. */
  readonly toolCalls: readonly ToolCall[]
  readonly parts: readonly KeptPart[]
  /** Text and tool calls as the model wrote them. */
  readonly written: string
  readonly reported: ReportedUsage
  /** Parameters that the package left out, as clients name them. */
  readonly leftOut: readonly string[]
}

type Draft = {
  readonly type: 'text' | 'reasoning'
  readonly texts: string[]
  options: SharedV4ProviderMetadata | undefined
}

/** Assembles one reply from the parts of its stream. */
export class ReplyBuilder {
  readonly #apiKey: string | undefined
  readonly #parts: (Draft | KeptPart)[] = []
  /** Blocks that have begun, by kind and id. */
  readonly #open = new Map<string, Draft>()
  readonly #calls: ToolCall[] = []
  readonly #leftOut = new Set<string>()
  #finish: Of<'finish'> | undefined
  #characters = 0

  constructor(apiKey: string | undefined) {
    this.#apiKey = apiKey
  }

  /**
   * Accepts the next part.
   * @returns its text, mostly none.
   * @throws CallFailure for an error of the upstream, or a reply that is too long.
   */
  accept(part: Part): string {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#openBlock(part)
        return ''
      case 'text-delta':
        this.#extend(part, part.delta)
        return part.delta
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        this.#extend(part, part.type === 'reasoning-delta' ? part.delta : '')
        return ''
      case 'tool-input-delta':
        this.#grow(part.delta.length)
        return ''
      default:
        this.#acceptOther(part)
        return ''
    }
  }

  /**
   * The whole reply.
   * @throws CallFailure if it is not complete.
   */
  finish(): WholeReply {
    const { finishReason, usage, providerMetadata } = this.#finish ?? {}
    if (!finishReason || !usage || finishReason.unified === 'interrupted') {
      throw new CallFailure('upstream', "The model's reply ended early, without a finish reason.", {
        retryable: true,
      })
    }
    const parts = this.#parts.map(keptPart)
    const texts = this.#parts.flatMap((part) => (part.type === 'text' && 'texts' in part ? part.texts : []))
    return {
      reason: this.#reasonOf(finishReason),
      toolCalls: this.#calls,
      parts,
      written: texts.join('') + this.#calls.map((call) => call.name + call.arguments).join(''),
      reported: reportedUsage(usage, providerMetadata),
      leftOut: [...this.#leftOut],
    }
  }

  #acceptOther(part: Part): void {
    switch (part.type) {
      case 'stream-start':
        for (const warning of part.warnings) {
          const name = warning.type === 'unsupported' ? parameterOf(warning.feature) : undefined
          if (name !== undefined) this.#leftOut.add(name)
        }
        break
      case 'tool-call':
        if (!part.providerExecuted) this.#addCall(part)
        break
      case 'custom':
        // The announcement of a message repeats its usage and has no place in later requests.
        if (part.kind !== 'anthropic.message_start')
          this.#parts.push({ type: 'custom', kind: part.kind, ...optionsOf(part) })
        break
      case 'finish':
        this.#finish = part
        break
      case 'error':
        throw streamFailure(part.error, this.#apiKey)
    }
  }

  #openBlock(part: Of<'text-start'> | Of<'reasoning-start'>): Draft {
    const type = part.type === 'text-start' ? 'text' : 'reasoning'
    const draft: Draft = { type, texts: [], options: part.providerMetadata }
    this.#parts.push(draft)
    this.#open.set(`${type} ${part.id}`, draft)
    return draft
  }

  /** The newest metadata counts: signatures come at the end of a block. */
  #extend(part: Of<'text-delta' | 'text-end' | 'reasoning-delta' | 'reasoning-end'>, text: string): void {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning'
    const draft =
      this.#open.get(`${type} ${part.id}`) ?? this.#openBlock({ type: `${type}-start`, id: part.id })
    draft.options = merged(draft.options, part.providerMetadata)
    if (text === '') return
    draft.texts.push(text)
    this.#grow(text.length)
  }

  #addCall(part: Of<'tool-call'>): void {
    this.#parts.push({ type: 'call', id: part.toolCallId, ...optionsOf(part) })
    const isKnown = this.#calls.some(({ id }) => id === part.toolCallId)
    const id = isKnown ? `${part.toolCallId}-${this.#calls.length}` : part.toolCallId
    this.#calls.push({ id, name: part.toolName, arguments: part.input.trim() === '' ? '{}' : part.input })
  }

  #grow(characters: number): void {
    this.#characters += characters
    if (this.#characters > maxCharacters) {
      throw new CallFailure('upstream', "The model's reply is longer than this service takes.")
    }
  }

  #reasonOf({ unified, raw }: Of<'finish'>['finishReason']): FinishReason {
    switch (unified) {
      case 'error':
        throw new CallFailure('upstream', `The model's server broke off with the reason "${raw ?? 'error'}".`)
      case 'length':
        return 'length'
      case 'content-filter':
        return 'content_filter'
      default:
        return this.#calls.length > 0 ? 'tool_calls' : 'stop'
    }
  }
}

function keptPart(part: Draft | KeptPart): KeptPart {
  if (!('texts' in part)) return part
  const text = part.texts.join('')
  const options = part.options && { options: part.options }
  return part.type === 'text'
    ? { type: 'text', length: text.length, ...options }
    : { type: 'reasoning', text, ...options }
}

function optionsOf({ providerMetadata }: { readonly providerMetadata?: SharedV4ProviderMetadata }): {
  readonly options?: SharedV4ProviderMetadata
} {
  return providerMetadata ? { options: providerMetadata } : {}
}

function merged(
  known: SharedV4ProviderMetadata | undefined,
  next: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (!known || !next) return next ?? known
  const names = new Set([...Object.keys(known), ...Object.keys(next)])
  return Object.fromEntries([...names].map((name) => [name, { ...known[name], ...next[name] }]))
}

function reportedUsage(
  { inputTokens, outputTokens, raw }: LanguageModelV4Usage,
  metadata: SharedV4ProviderMetadata | undefined,
): ReportedUsage {
  const cost = [raw?.['cost'], ...Object.values(metadata ?? {}).map((own) => own['cost'])]
  return {
    promptTokens: inputTokens.total,
    completionTokens: outputTokens.total,
    cachedTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
    reasoningTokens: outputTokens.reasoning,
    cost: cost.find((amount) => typeof amount === 'number'),
  }
}
