import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { inStrictForm, withImagesAfterResults } from '../conversation.ts'
import { isRecord, parsedJson } from '../json.ts'
import { CallFailure } from '../openai/failure.ts'
import {
  attachmentText,
  type ContentPart,
  type ImagePart,
  type ModelMessage,
  type ToolCall,
} from '../provider.ts'
import { WireIds } from '../wire-call-ids.ts'
import type { Api } from './apis.ts'
import { type AssistantPart, type KeptPart, keptParts, textBlocks } from './attached.ts'

type Of<Role extends ModelMessage['role']> = Extract<ModelMessage, { readonly role: Role }>
type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart

/** The upstream of a prompt. */
export type PromptTarget = {
  readonly api: Api
  readonly model: string
  /** Its identity, as `Attached.upstream` has it. */
  readonly upstream: string
}

/**
 * The conversation in the form of the AI SDK. Replies of the same upstream get back what it attached to them.
 * @throws CallFailure `rejected` if it has an image that cannot be sent.
 */
export function promptOf(messages: readonly ModelMessage[], target: PromptTarget): LanguageModelV4Prompt {
  const builder = new PromptBuilder(target)
  const strict = inStrictForm(messages)
  const sent = target.api.imagesInResults ? strict : withImagesAfterResults(strict)
  for (const message of sent) builder.add(message)
  return withCacheMarks(builder.finish(), target)
}

class PromptBuilder {
  readonly #target: PromptTarget
  readonly #prompt: LanguageModelV4Prompt = []
  readonly #ids = new WireIds()
  /** The tool of each call, by our id. Clients may use an id again in a later reply. */
  readonly #tools = new Map<string, string>()
  #results: LanguageModelV4ToolResultPart[] = []

  constructor(target: PromptTarget) {
    this.#target = target
  }

  add(message: ModelMessage): void {
    if (message.role === 'tool') {
      this.#addResult(message)
      return
    }
    this.#placeResults()
    if (message.role === 'system') this.#prompt.push({ role: 'system', content: message.content })
    else if (message.role === 'assistant') this.#addReply(message)
    else this.#addUser(userParts(message.content))
  }

  finish(): LanguageModelV4Prompt {
    this.#placeResults()
    return this.#prompt
  }

  #addUser(content: UserPart[]): void {
    if (this.#target.api.repliesToResults && this.#prompt.at(-1)?.role === 'tool')
      this.#prompt.push({ role: 'assistant', content: [{ type: 'text', text: 'OK.' }] })
    this.#prompt.push({ role: 'user', content })
  }

  #addReply(message: Of<'assistant'>): void {
    const kept = keptParts(message, this.#target.upstream)
    const keptCalls = kept?.filter((part) => part.type === 'call')
    const calls = message.toolCalls.map((call) => {
      const at = message.attached?.callIds.indexOf(call.id) ?? -1
      return this.#callPart(call, keptCalls?.[at])
    })
    const content: AssistantPart[] = kept
      ? this.#partsInOrder(message, kept, calls)
      : [...textParts([message.content]), ...calls]
    if (
      this.#target.api.reasoningInSteps &&
      calls.length > 0 &&
      !content.some(({ type }) => type === 'reasoning')
    )
      content.unshift({ type: 'reasoning', text: '' })
    if (content.length > 0) this.#prompt.push({ role: 'assistant', content })
  }

  /** The parts in the order of the reply. Calls that the message has and the reply had not come last. */
  #partsInOrder(
    { content, toolCalls, attached }: Of<'assistant'>,
    kept: readonly KeptPart[],
    calls: readonly AssistantPart[],
  ): AssistantPart[] {
    const blocks = [...textBlocks(content, kept)]
    const left = new Set(calls)
    let nextCall = 0
    const inOrder = kept.flatMap((part): readonly AssistantPart[] => {
      if (part.type !== 'call') return [restored(part, () => blocks.shift() ?? '')]
      const ourId = attached?.callIds[nextCall++]
      const call = calls[toolCalls.findIndex(({ id }) => id === ourId)]
      return call && left.delete(call) ? [call] : []
    })
    // An empty text has a meaning only with what the upstream attached to it.
    const meant = inOrder.filter((part) => part.type !== 'text' || part.text !== '' || part.providerOptions)
    const firstCall = meant.findIndex(({ type }) => type === 'tool-call')
    meant.splice(firstCall === -1 ? meant.length : firstCall, 0, ...textParts(blocks))
    return [...meant, ...left]
  }

  #callPart(call: ToolCall, kept: Extract<KeptPart, { type: 'call' }> | undefined): AssistantPart {
    const { api, model } = this.#target
    this.#tools.set(call.id, call.name)
    const options = kept ? kept.options : api.foreignCall?.(model)
    return {
      type: 'tool-call',
      toolCallId: this.#ids.ofCall(call.id, kept?.id),
      toolName: call.name,
      input: callInput(call),
      ...(options && { providerOptions: options }),
    }
  }

  #addResult({ callId, content, images = [] }: Of<'tool'>): void {
    const inPlace = this.#target.api.imagesInResults ? images : []
    this.#results.push({
      type: 'tool-result',
      toolCallId: this.#ids.ofResult(callId),
      toolName: this.#tools.get(callId) ?? 'unknown',
      output:
        inPlace.length === 0
          ? { type: 'text', value: content }
          : { type: 'content', value: [{ type: 'text', text: content }, ...inPlace.map(imagePart)] },
    })
  }

  /** The results of one reply stand in one message. */
  #placeResults(): void {
    if (this.#results.length > 0) this.#prompt.push({ role: 'tool', content: this.#results })
    this.#results = []
  }
}

function restored(part: Exclude<KeptPart, { type: 'call' }>, nextText: () => string): AssistantPart {
  const options = part.options && { providerOptions: part.options }
  if (part.type === 'text') return { type: 'text', text: nextText(), ...options }
  if (part.type === 'custom') return { type: 'custom', kind: part.kind, ...options }
  return { type: 'reasoning', text: part.text, ...options }
}

/** The arguments as an object. Malformed ones are wrapped, so that the model still sees them. */
function callInput(call: ToolCall): unknown {
  const input = parsedJson(call.arguments)
  return isRecord(input) ? input : { malformed_arguments: call.arguments }
}

/** Several APIs refuse an empty text. */
function textParts(texts: readonly string[]): LanguageModelV4TextPart[] {
  return texts.filter((text) => text !== '').map((text) => ({ type: 'text', text }))
}

function userParts(content: Of<'user'>['content']): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts = content.map(userPart).filter((part) => part.type !== 'text' || part.text !== '')
  return parts.length > 0 ? parts : [{ type: 'text', text: '' }]
}

function userPart(part: ContentPart): UserPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return part.type === 'file' ? { type: 'text', text: attachmentText(part.fileId) } : imagePart(part)
}

const dataUrl = /^data:([\w.+/-]+);base64,/

function imagePart({ url, detail }: ImagePart): LanguageModelV4FilePart {
  const found = dataUrl.exec(url.slice(0, 200))
  const options = detail && {
    providerOptions: { openai: { imageDetail: detail }, azure: { imageDetail: detail } },
  }
  if (found?.[1])
    return {
      type: 'file',
      mediaType: found[1],
      data: { type: 'data', data: url.slice(found[0].length) },
      ...options,
    }
  const address = URL.parse(url)
  if (!address)
    throw new CallFailure('rejected', 'An image has no usable URL. Send it as a data: URL.', {
      param: 'messages',
    })
  return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: address }, ...options }
}

/**
 * Marks ends of prefixes that the upstream shall cache: the system prompt with the tools before it, and the two newest
 * messages that are not the model's. The next call of the turn finds the last of them. Anthropic allows four marks.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt, { api, model }: PromptTarget): LanguageModelV4Prompt {
  const mark: SharedV4ProviderOptions | undefined = api.cacheMark?.(model)
  if (!mark) return prompt
  const inputs = prompt.filter(({ role }) => role === 'user' || role === 'tool').slice(-2)
  const marked = new Set<LanguageModelV4Message>([
    ...prompt.filter(({ role }) => role === 'system').slice(0, 1),
    ...inputs,
  ])
  return prompt.map((message) => (marked.has(message) ? { ...message, providerOptions: mark } : message))
}
