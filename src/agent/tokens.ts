import { imageSize } from './image-size.ts'
import { attachmentText, type ContentPart, type ModelMessage } from './provider.ts'

/**
 * The one estimator of tokens: the context window, holds and the usage of calls that nobody else counted all go by it.
 */

/** About four characters of Latin text, or two of Hebrew, make a token. */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit < 0x250) quarters += 1
    // The second half of a surrogate pair belongs to the first.
    else if (unit < 0xdc00 || unit > 0xdfff) quarters += 2
  }
  return Math.ceil(quarters / 4)
}

/** OpenAI's published rule: an image is scaled down to fit, cut into squares of 512 pixels, and each square counts. */
const baseImageTokens = 85
const tileTokens = 170
const tilePixels = 512
const longestSide = 2_048
const shortestSide = 768
/** Of a portrait photograph at full detail: for images behind an address, and formats whose size is not read. */
const unknownImageTokens = 1_105

/** What an image takes of the model's window, whatever the length of its URL. */
export function imageTokens({ url, detail }: Extract<ContentPart, { type: 'image_url' }>): number {
  if (detail === 'low') return baseImageTokens
  const size = imageSize(url)
  if (!size) return unknownImageTokens
  const scale = Math.min(
    1,
    longestSide / Math.max(size.width, size.height),
    shortestSide / Math.min(size.width, size.height),
  )
  // A strip that is narrower than a pixel once scaled is a square still.
  const tiles = (pixels: number) => Math.max(Math.ceil(Math.round(pixels * scale) / tilePixels), 1)
  return baseImageTokens + tileTokens * tiles(size.width) * tiles(size.height)
}

/** Role and delimiters of one message. */
const messageOverhead = 4

const counted = new WeakMap<ModelMessage, number>()

/** What a message takes of the model's window. Estimated once a message: the same ones are sent with every call of a turn. */
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
    return estimateTokens(message.content + calls)
  }
  if (typeof message.content === 'string') return estimateTokens(message.content)
  return message.content.reduce((sum, part) => sum + partTokens(part), 0)
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

/** What messages take of the model's window together. */
export function messagesTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}
