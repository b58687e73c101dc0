import type { ModelMessage, Provider } from '../provider.ts'
import { sendReply } from './reply.ts'

/**
 * The built-in model for utility requests of chat applications. It writes nothing of its own: a title is the first
 * words of the conversation's first question, and lists of suggestions are empty.
 */
export function createLiteProvider(): Provider {
  return {
    ask: async (request, signal, onText) => {
      const asked = request.messages.flatMap(userText)
      const isFilledIn = request.sampling.responseFormat?.['type'] === 'json_schema'
      return sendReply(request, utilityAnswer(asked, isFilledIn), signal, onText)
    },
  }
}

function userText(message: ModelMessage): readonly string[] {
  if (message.role !== 'user') return []
  if (typeof message.content === 'string') return [message.content.slice(0, maxRead)]
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text.slice(0, maxRead)] : []))
}

/** Characters of a message that are read. */
const maxRead = 100_000

/** What a request asks for, by the JSON that its instructions show. */
const forms: readonly (readonly [RegExp, (title: string) => object])[] = [
  [/["']title["']\s*:/i, (title) => ({ title })],
  [/["']tags["']\s*:/i, () => ({ tags: ['General'] })],
  [/["']follow_ups["']\s*:/i, () => ({ follow_ups: [] })],
  [/["']queries["']\s*:/i, () => ({ queries: [] })],
]

/**
 * @param asked the texts of the user, the instructions among them.
 * @param isFilledIn whether the answer is put into a JSON Schema.
 */
function utilityAnswer(asked: readonly string[], isFilledIn: boolean): string {
  const title = titleOf(firstQuestion(asked))
  const shown = asked.at(-1) ?? ''
  const form = forms.find(([pattern]) => pattern.test(shown))
  return form && !isFilledIn ? JSON.stringify(form[1](title)) : title
}

/** Before a message of the user in a conversation that the instructions contain. */
const speaker = /(?:^|\n)[^\p{L}\n]{0,4}(?:user|human)[^\p{L}\n]{0,4}:\s*([^\n]+)/iu

/** The first question of the conversation: quoted in the instructions, or a message before them. */
function firstQuestion(asked: readonly string[]): string {
  const quoted = speaker.exec(asked.at(-1) ?? '')?.[1]
  return quoted ?? asked[0] ?? ''
}

const maxWords = 8
const maxLength = 60
/** Characters that can become a title: the time to remove signs grows with their square. */
const maxTitled = 1_000

/** The first words of the first sentence, without signs around them. */
function titleOf(text: string): string {
  const [sentence = ''] = text
    .trim()
    .slice(0, maxTitled)
    .split(/(?<=[.?!׃])\s|\n/u)
  const words = sentence.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').split(/\s+/)
  let title = ''
  for (const word of words.slice(0, maxWords)) {
    if (title.length + word.length >= maxLength) break
    title += title === '' ? word : ` ${word}`
  }
  return title === '' ? 'Conversation' : title
}
