import type { ModelMessage } from '../provider.ts'
import type { Language } from './language.ts'
import { wording } from './wording.ts'

type ReadResult = Readonly<Record<string, unknown>>

/**
 * What the answer says first about attached files whose text is missing or incomplete. Without it, passages of the
 * library would look like the content of the file. Undefined if all were read.
 * @param attached number of files in the question.
 * @param results of `read_file` in this turn.
 */
export function aboutUnreadFiles(
  attached: number,
  results: readonly ReadResult[],
  language: Language,
): string | undefined {
  const say = wording[language]
  if (attached > 0 && results.length === 0) return say.filesOff
  const sentences = results.flatMap((result) => sentenceAbout(result, say))
  return sentences.length === 0 ? undefined : [...new Set(sentences)].join('\n')
}

/** Number of files, other than images, in a question. */
export function filesIn(message: ModelMessage | undefined): number {
  if (message?.role !== 'user' || typeof message.content === 'string') return 0
  return message.content.filter(({ type }) => type === 'file').length
}

/** File names stand without quotation marks, because a name of several words would be checked as a quotation. */
function sentenceAbout(result: ReadResult, say: (typeof wording)[Language]): readonly string[] {
  const { passages } = result
  const [name, problem, incomplete] = ['name', 'problem', 'incomplete'].map((member) =>
    textOf(result[member]),
  )
  if (name === undefined) return [say.notRead]
  if (problem !== undefined) return [say.unread(name, problem)]
  if (incomplete !== undefined) return [say.partlyRead(name, incomplete)]
  return Array.isArray(passages) && passages.length > 0 ? [] : [say.noText(name)]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
