import { imageSize } from './image-size.ts'
import {
  type Attached,
  attachmentText,
  type ContentPart,
  type ModelMessage,
  type ToolSpec,
} from './provider.ts'

/** The only estimator of tokens. The context window, holds, and the usage of calls without counts use it. */

/** Estimates tokens: four Latin characters, or two Hebrew ones, per token. */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit < 0x250) quarters += 1
    // The second half of a surrogate pair is not counted.
    else if (unit < 0xdc00 || unit > 0xdfff) quarters += 2
  }
  return Math.ceil(quarters / 4)
}

/**
 * OpenAI's published rule: an image is scaled down to fit and divided into squares of 512 pixels, each of which
 * counts.
 */
const baseImageTokens = 85
const tileTokens = 170
const tilePixels = 512
const longestSide = 2_048
const shortestSide = 768
/** Tokens of a portrait photograph at full detail. Used for images behind a URL and for unknown sizes. */
const unknownImageTokens = 1_105

/** Estimated tokens of an image. The length of its URL does not matter. */
export function imageTokens({ url, detail }: Extract<ContentPart, { type: 'image_url' }>): number {
  if (detail === 'low') return baseImageTokens
  const size = imageSize(url)
  if (!size) return unknownImageTokens
  const scale = Math.min(
    1,
    longestSide / Math.max(size.width, size.height),
    shortestSide / Math.min(size.width, size.height),
  )
  // A strip that is narrower than a pixel after scaling still counts as one square.
  const tiles = (pixels: number) => Math.max(Math.ceil(Math.round(pixels * scale) / tilePixels), 1)
  return baseImageTokens + tileTokens * tiles(size.width) * tiles(size.height)
}

/** Tokens for the role and delimiters of one message. */
export const messageOverhead = 4

const counted = new WeakMap<ModelMessage, number>()

/** Estimated tokens of a message. The estimate is cached, because every call of a turn sends the same messages. */
export function messageTokens(message: ModelMessage): number {
  const known = counted.get(message)
  if (known !== undefined) return known
  const tokens = messageOverhead + contentTokens(message)
  counted.set(message, tokens)
  return tokens
}

function contentTokens(message: ModelMessage): number {
  if (message.role === 'assistant') {
    const calls = message.toolCalls.map((call) => call.name + call.arguments).join('')
    return estimateTokens(message.content + calls) + attachedTokens(message.attached)
  }
  if (message.role === 'tool')
    return (
      estimateTokens(message.content) +
      (message.images ?? []).reduce((sum, image) => sum + imageTokens(image), 0)
    )
  if (typeof message.content === 'string') return estimateTokens(message.content)
  return message.content.reduce((sum, part) => sum + partTokens(part), 0)
}

/** An upper estimate: another upstream than the one that attached it gets nothing. */
function attachedTokens(attached: Attached | undefined): number {
  return attached ? estimateTokens(attached.json) : 0
}

function partTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text)
    case 'file':
      return estimateTokens(attachmentText(part.fileId))
    case 'image_url':
      return imageTokens(part)
  }
}

/** Estimated tokens of several messages. */
export function messagesTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}

type ToolText = {
  readonly name: string
  readonly description: string
  readonly json: string
  readonly tokens: number
}

type ListText = { readonly json: Buffer; readonly tokens: number }

/** By list, because most turns have the same one. */
const lists = new WeakMap<readonly ToolSpec[], ListText>()
/** By parameter schema. A turn with client tools has a list of its own, and our tools are longer than most conversations. */
const known = new WeakMap<object, ToolText>()

/** Estimated tokens of the tools. */
export function toolTokens(tools: readonly ToolSpec[]): number {
  return listText(tools).tokens
}

/** The tools as a JSON array in UTF-8, for a request to the model. */
export function toolsJson(tools: readonly ToolSpec[]): Buffer {
  return listText(tools).json
}

function listText(tools: readonly ToolSpec[]): ListText {
  const earlier = lists.get(tools)
  if (earlier) return earlier
  const texts = tools.map(toolText)
  const text = {
    json: Buffer.from(`[${texts.map(({ json }) => json).join(',')}]`),
    tokens: texts.reduce((sum, { tokens }) => sum + tokens, 0),
  }
  lists.set(tools, text)
  return text
}

function toolText({ name, description, parameters }: ToolSpec): ToolText {
  const earlier = known.get(parameters)
  if (earlier?.name === name && earlier.description === description) return earlier
  const described = JSON.stringify({ name, description, parameters })
  const json = `{"type":"function","function":${described}}`
  const text = { name, description, json, tokens: estimateTokens(described) }
  known.set(parameters, text)
  return text
}
