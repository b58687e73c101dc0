import { hashText, randomFrom } from '../support/random.ts'
import type { ScriptedCall, ScriptedUsage } from '../support/upstream-scripts.ts'

/** A fault of the model's server in one call. A retry overcomes all kinds except `cut-text` and `refusal`. */
export type Trouble = {
  readonly kind: 'error' | 'limit' | 'cut-head' | 'cut-text' | 'refusal' | 'stall'
  /** Index of the model call in the turn, from 0. */
  readonly call: number
  readonly ms: number
}

/** Kills the process that drives the turn at this moment of a model call. */
export type AimedKill = {
  readonly call: number
  /** `end` is the completion of the reply; a few milliseconds later its step is being committed. */
  readonly moment: 'arrival' | 'middle' | 'end'
  readonly afterMs: number
}

export type Shape = 'plain' | 'search' | 'write' | 'parallel'

/**
 * The facts of one turn that client and model share. They are part of the question's text, so that the answer
 * depends on the conversation only, whoever asks and however often.
 */
export type Question = {
  readonly id: string
  readonly shape: Shape
  /** Words of the answer. */
  readonly words: number
  readonly chunks: number
  readonly delayMs: number
  readonly trouble?: Trouble
  readonly aim?: AimedKill
}

export function questionText({ id, ...rest }: Question): string {
  return `Question ${id} ${JSON.stringify(rest)}`
}

/** The questions of a message. Those without an answer are in one message with the next one. */
export function parseQuestions(text: string): readonly Question[] {
  return text.split('\n\n').flatMap((part): readonly Question[] => {
    const match = /^Question (\S+) (\{.*\})$/.exec(part)
    return match ? [{ id: match[1] ?? '', ...JSON.parse(match[2] ?? '') }] : []
  })
}

const english = 'candle window morning letter river teacher student road naïve Straße'.split(' ')
const vocabulary = [...english, ...'אור נר חלון בוקר מכתב שאלה תשובה דרך 🕯'.split(' ')]

function wordsOf(seed: string, count: number): string {
  const random = randomFrom(hashText(seed))
  // Every other word is in Latin letters, because the language of the list of sources follows the majority of
  // letters.
  return Array.from({ length: count }, (_, i) => {
    const words = i % 2 === 0 ? english : vocabulary
    return words[Math.floor(random() * words.length)]
  }).join(' ')
}

export type WrittenFile = { readonly name: string; readonly content: string }

/** The files that a completed turn writes, each exactly once. */
export function filesOf({ id, shape }: Question): readonly WrittenFile[] {
  const file = (name: string) => ({ name, content: wordsOf(name, 40) })
  if (shape === 'write') return [file(`${id}.txt`)]
  return shape === 'parallel' ? [file(`${id}-a.txt`), file(`${id}-b.txt`)] : []
}

export const searchQuery = 'beinoni'

type ToolRound = { readonly text: string; readonly calls: readonly ScriptedCall[] }

/** Texts and tool calls of the model before its answer. */
export function toolRounds(question: Question): readonly ToolRound[] {
  const writes = filesOf(question).map((file) => ({ name: 'write_file', arguments: { ...file } }))
  const search = { name: 'search_sources', arguments: { query: searchQuery } }
  switch (question.shape) {
    case 'plain':
      return []
    case 'search':
      return [{ text: '', calls: [search] }]
    case 'write':
      return [
        { text: 'I write it down.', calls: writes },
        { text: '', calls: [{ name: 'read_file', arguments: { name: `${question.id}.txt` } }] },
      ]
    case 'parallel':
      return [{ text: 'Three things at once.', calls: [...writes, search] }]
  }
}

/**
 * The last reply. It contains the tool results and the earlier questions of the conversation, so that lost or
 * repeated steps and turns show in the text.
 */
export function lastReply(
  question: Question,
  seen: { readonly mark: string; readonly readBack: string; readonly earlier: readonly string[] },
): string {
  const after = seen.earlier.length > 0 ? ` (after ${seen.earlier.join(', ')})` : ''
  const tools =
    question.shape === 'search'
      ? ` as in ${seen.mark}`
      : question.shape === 'write'
        ? ` = ${seen.readBack}`
        : ''
  return `Answer to ${question.id}: ${wordsOf(question.id, question.words)}${tools}${after}.`
}

/**
 * The text of a completed turn for its client, without the list of sources.
 * @param earlier ids of the conversation's earlier questions, in order.
 */
export function expectedText(question: Question, earlier: readonly string[]): string {
  const readBack = filesOf(question)[0]?.content ?? ''
  const texts = toolRounds(question).map(({ text }) => text)
  return [...texts, lastReply(question, { mark: '[1]', readBack, earlier })]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** Token counts that the model reports for one call. */
export function usageOf(question: Question, call: number): ScriptedUsage {
  return { prompt_tokens: 100 + 10 * call, completion_tokens: 7 + (question.words % 13) }
}

export function modelCalls(question: Question): number {
  return toolRounds(question).length + 1
}

export function toolCalls(question: Question): number {
  return toolRounds(question).reduce((sum, { calls }) => sum + calls.length, 0)
}

/**
 * Cost of the completed turn at default prices: 100 and 400 micro-credits per input and output token, 50,000
 * per tool call.
 */
export function expectedMicros(question: Question): bigint {
  let micros = BigInt(toolCalls(question)) * 50_000n
  for (let call = 0; call < modelCalls(question); call += 1) {
    const { prompt_tokens: prompt, completion_tokens: completion } = usageOf(question, call)
    micros += BigInt(prompt) * 100n + BigInt(completion) * 400n
  }
  return micros
}

/** Whether the model's fault may fail the turn. */
export function mayFail({ trouble }: Question): boolean {
  return trouble?.kind === 'cut-text' || trouble?.kind === 'refusal'
}
