import type { LanguageModelV4Message, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ModelMessage } from '../provider.ts'

export type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type Assistant = Extract<ModelMessage, { role: 'assistant' }>

/**
 * A part of a reply, as `Attached.json` holds it. `options` is what the package calls `providerMetadata` in a reply, and
 * wants back as `providerOptions`. Text and arguments are not repeated, because the message has them.
 */
export type KeptPart =
  | { readonly type: 'reasoning'; readonly text: string; readonly options?: SharedV4ProviderMetadata }
  | {
      readonly type: 'custom'
      readonly kind: `${string}.${string}`
      readonly options?: SharedV4ProviderMetadata
    }
  /** `length`: characters of this block of the text. */
  | { readonly type: 'text'; readonly length: number; readonly options?: SharedV4ProviderMetadata }
  | { readonly type: 'call'; readonly id: string; readonly options?: SharedV4ProviderMetadata }

/** Whether a reply has anything besides its text that the upstream wants back. */
export function isWorthKeeping(parts: readonly KeptPart[]): boolean {
  return parts.some(({ type, options }) => type !== 'text' || options !== undefined)
}

/** The parts that this upstream attached to a message. Undefined if there are none, or another upstream made them. */
export function keptParts({ attached }: Assistant, upstream: string): readonly KeptPart[] | undefined {
  return attached?.upstream === upstream ? (JSON.parse(attached.json) as readonly KeptPart[]) : undefined
}

/** The text of a message, cut into the blocks of the reply. Text that was changed since then is one block. */
export function textBlocks(content: string, parts: readonly KeptPart[]): readonly string[] {
  const lengths = parts.flatMap((part) => (part.type === 'text' ? [part.length] : []))
  if (lengths.reduce((sum, length) => sum + length, 0) !== content.length) return [content]
  let start = 0
  return lengths.map((length) => {
    start += length
    return content.slice(start - length, start)
  })
}
