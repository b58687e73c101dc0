import { isRecord } from '../json.ts'
import type { ModelMessage, Sampling } from '../provider.ts'
import { schemaFault } from './json-schema.ts'

/** The required form of an answer: a JSON object, or JSON that fits a schema. */
export type AnswerFormat = { readonly schema: unknown }

/** The format that a client requested. Undefined for plain text. */
export function answerFormatOf({ responseFormat }: Sampling): AnswerFormat | undefined {
  if (!responseFormat) return undefined
  const named = responseFormat['json_schema']
  return { schema: (isRecord(named) ? named['schema'] : undefined) ?? { type: 'object' } }
}

const fence = '```'

/** The JSON text of a reply. Some models put it in a fenced block. */
export function jsonTextOf(reply: string): string {
  const text = reply.trim()
  const isBlock = text.length >= 2 * fence.length && text.startsWith(fence) && text.endsWith(fence)
  const firstLine = isBlock ? text.indexOf('\n') : -1
  if (firstLine === -1 || !/^[a-z]*\s*$/i.test(text.slice(fence.length, Math.min(firstLine, 100))))
    return text
  return text.slice(firstLine, -fence.length).trim()
}

/** Why a text is not a valid answer, in words. Null if it is valid. */
export function formatFault(text: string, format: AnswerFormat): string | null {
  try {
    return schemaFault(format.schema, JSON.parse(text))
  } catch {
    return 'it is not valid JSON'
  }
}

/**
 * An instruction for the system prompt. Models follow a format better if a message states it, and some services
 * refuse JSON mode without such a message.
 */
export function formatInstruction(format: AnswerFormat | undefined): string {
  if (!format) return ''
  return '\n\nYour final answer is read by a program: write one JSON value in the form that was asked for, and nothing before or after it.'
}

/** Messages that ask the model for a corrected answer. */
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
