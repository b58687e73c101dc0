import type { ModelMessage, Sampling } from '../provider.ts'
import { schemaFault } from './json-schema.ts'
import { isObject } from './schema-budget.ts'

/** What an answer has to be: a JSON object, or JSON that fits a schema. */
export type AnswerFormat = { readonly schema: unknown }

/** The format that a client asked for; undefined for plain text. */
export function answerFormatOf({ responseFormat }: Sampling): AnswerFormat | undefined {
  if (!responseFormat) return undefined
  const named = responseFormat['json_schema']
  return { schema: (isObject(named) ? named['schema'] : undefined) ?? { type: 'object' } }
}

const fence = '```'

/** The JSON text of a reply; some models put it into a fenced block although they were asked not to. */
export function jsonTextOf(reply: string): string {
  const text = reply.trim()
  const isBlock = text.length >= 2 * fence.length && text.startsWith(fence) && text.endsWith(fence)
  const firstLine = isBlock ? text.indexOf('\n') : -1
  if (firstLine === -1 || !/^[a-z]*\s*$/i.test(text.slice(fence.length, Math.min(firstLine, 100))))
    return text
  return text.slice(firstLine, -fence.length).trim()
}

/** What keeps a text from being the answer that was asked for; null when nothing does. */
export function formatFault(text: string, format: AnswerFormat): string | null {
  try {
    return schemaFault(format.schema, JSON.parse(text))
  } catch {
    return 'it is not valid JSON'
  }
}

/** Models keep to a format better when the messages state it; some services refuse JSON that no message speaks of. */
export function formatInstruction(format: AnswerFormat | undefined): string {
  if (!format) return ''
  return '\n\nYour final answer is read by a program: write one JSON value in the form that was asked for, and nothing before or after it.'
}

/** Asks for the answer once more. */
export function correction(reply: string, fault: string, format: AnswerFormat): readonly ModelMessage[] {
  return [
    { role: 'assistant', content: reply, toolCalls: [] },
    {
      role: 'user',
      content: `That is not the JSON that was asked for: ${fault}. Write the answer again, as JSON alone, to fit this \
JSON Schema: ${JSON.stringify(format.schema).slice(0, 20_000)}`,
    },
  ]
}
