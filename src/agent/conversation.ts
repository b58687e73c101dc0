import type { ContentPart, ImagePart, ModelMessage, ToolCall } from './provider.ts'

type Of<Role extends ModelMessage['role']> = Extract<ModelMessage, { readonly role: Role }>

/** The result of a call that the client never answered, for example because its user asked something else meanwhile. */
const noResult = JSON.stringify({ note: 'No result: the conversation went on without it.' })

/**
 * The conversation in the form that every server accepts:
 *
 * - One system message, at the beginning. Chat templates, such as that of Qwen, refuse a second one.
 * - The results of a reply's tool calls follow it at once and in order. A call without a result gets a short one,
 *   because servers refuse a conversation with an open call, and the session could never continue.
 * - A result without its call is a message of the user.
 * - User and assistant alternate, because some templates refuse anything else. Empty answers are left out.
 *
 * Messages that need no change stay the same objects.
 */
export function inStrictForm(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const systems = messages.filter((message) => message.role === 'system')
  const rest = systems.length === messages.length ? [] : withResults(messages)
  return [...joinedSystem(systems), ...alternating(rest)]
}

function joinedSystem(systems: readonly Of<'system'>[]): readonly ModelMessage[] {
  if (systems.length <= 1) return systems
  const texts = systems.map(({ content }) => content).filter((content) => content.trim() !== '')
  return [{ role: 'system', content: texts.join('\n\n') }]
}

/** All messages but the system's. Each result stands behind its call. */
function withResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const isOpen = messages.some((message) => message.role === 'tool' || hasCalls(message))
  const spoken = messages.filter((message) => message.role !== 'system')
  if (!isOpen) return spoken
  const results = resultsByReply(spoken)
  const stray = new Set(spoken.filter((message) => message.role === 'tool'))
  for (const own of results.values()) for (const result of own.values()) stray.delete(result)
  return spoken.flatMap((message): readonly ModelMessage[] => {
    if (message.role === 'tool') return stray.has(message) ? [asQuestion(message)] : []
    if (!hasCalls(message)) return [message]
    return [
      message,
      ...message.toolCalls.map((call) => results.get(message)?.get(call.id) ?? unanswered(call)),
    ]
  })
}

function hasCalls(message: ModelMessage): message is Of<'assistant'> {
  return message.role === 'assistant' && message.toolCalls.length > 0
}

/** The first result of each call, by its reply. A client may use the same id for calls of several replies. */
function resultsByReply(
  messages: readonly ModelMessage[],
): ReadonlyMap<ModelMessage, Map<string, Of<'tool'>>> {
  const byReply = new Map<ModelMessage, Map<string, Of<'tool'>>>()
  const asking = new Map<string, ModelMessage>()
  for (const message of messages) {
    if (hasCalls(message)) {
      byReply.set(message, new Map())
      for (const { id } of message.toolCalls) asking.set(id, message)
    }
    if (message.role !== 'tool') continue
    const reply = asking.get(message.callId)
    const results = reply && byReply.get(reply)
    if (results && !results.has(message.callId)) results.set(message.callId, message)
  }
  return byReply
}

function unanswered({ id }: ToolCall): Of<'tool'> {
  return { role: 'tool', callId: id, content: noResult }
}

function asQuestion({ content, images = [] }: Of<'tool'>): Of<'user'> {
  const text = `Result of a tool: ${content}`
  return { role: 'user', content: images.length === 0 ? text : [{ type: 'text', text }, ...images] }
}

function alternating(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = []
  for (const message of messages) {
    if (message.role === 'assistant' && message.content === '' && !hasCalls(message)) continue
    const last = joined.at(-1)
    const both = last && joinedPair(last, message)
    if (both) joined[joined.length - 1] = both
    else joined.push(message)
  }
  return joined
}

/** One message in place of two neighbours, or undefined if they may stand side by side. */
function joinedPair(first: ModelMessage, second: ModelMessage): ModelMessage | undefined {
  if (first.role === 'user' && second.role === 'user')
    return { role: 'user', content: joinedContent(first.content, second.content) }
  if (first.role !== 'assistant' || second.role !== 'assistant') return undefined
  if (first.toolCalls.length > 0) return undefined
  return { ...second, content: joinedText(first.content, second.content) }
}

function joinedContent(first: Of<'user'>['content'], second: Of<'user'>['content']): Of<'user'>['content'] {
  if (typeof first === 'string' && typeof second === 'string') return joinedText(first, second)
  return [...partsOf(first), ...partsOf(second)]
}

const joinedText = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

const partsOf = (content: Of<'user'>['content']): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/**
 * Moves the images of tool results into a message of the user behind the results, for APIs whose tool messages have text
 * only.
 */
export function withImagesAfterResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  if (!messages.some((message) => message.role === 'tool' && message.images?.length)) return messages
  const moved: ModelMessage[] = []
  let waiting: ImagePart[] = []
  const place = () => {
    if (waiting.length === 0) return
    moved.push({ role: 'user', content: [{ type: 'text', text: 'Images of the tool results:' }, ...waiting] })
    waiting = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') place()
    moved.push(message)
    if (message.role === 'tool') waiting.push(...(message.images ?? []))
  }
  place()
  return alternating(moved)
}

/** Puts a short message of the assistant between results of tools and the user's next message. */
export function withRepliesAfterResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.flatMap((message, at): readonly ModelMessage[] => {
    const follows = message.role === 'user' && messages[at - 1]?.role === 'tool'
    return follows
      ? [{ role: 'assistant', content: 'I have the results.', toolCalls: [] }, message]
      : [message]
  })
}
