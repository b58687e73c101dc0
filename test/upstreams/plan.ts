import type { Body, Move, Provider } from './provider.ts'

/**
 * A question names itself and what the model does, step by step: `q7 PLAN=tool,answer`. Words joined by `+` are for the
 * first, second … time that the same step is asked for, and the last of them for all later times: `PLAN=busy+answer`.
 * With `CUT` every byte of the stream comes by itself. The last plan of a text counts, because the service may join
 * the questions of turns that failed.
 */
const planned = /\b(q\d+) PLAN=([a-z,+]+)( CUT)?/g

export const answerText = 'Half of an answer is “no answer”; this one is whole.'
export const shortText = 'Half of an answer that was cut'
/** Points and accents in the order in which they are written, which is not that of Unicode's normal forms. */
export const hebrewText = 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים אֵ֥ת הַשָּׁמַ֖יִם וְאֵ֥ת הָאָֽרֶץ׃'
export const jsonText = '{"tractate":"ברכות","folios":64}'
export const thoughtText = 'The user wants something secret; think first.'
export const clientTool = 'hebrew_date'

const search = { name: 'search_sources', arguments: { query: 'bittul', limit: 3 } }
const files = { name: 'list_files', arguments: {} }

const say = (text: string): Move => ({ thoughts: thoughtText, text })
const moves: Readonly<Record<string, Move>> = {
  answer: say(answerText),
  hold: say(answerText),
  broken: say(answerText),
  hebrew: say(hebrewText),
  json: say(jsonText),
  length: { ...say(shortText), cutShort: true },
  tool: { thoughts: thoughtText, calls: [search] },
  files: { thoughts: thoughtText, calls: [files] },
  pair: { thoughts: thoughtText, calls: [search, files] },
  client: { thoughts: thoughtText, calls: [{ name: clientTool, arguments: { day: 'today' } }] },
}

type Turn = {
  /** The question's own name. */
  readonly id: string
  /** Replies of the model to it so far. */
  readonly step: number
  readonly words: readonly string[]
  readonly cut: boolean
}

/** What is asked for in this request. Undefined without a plan for the step. */
export function turnOf(provider: Provider, body: Body): Turn | undefined {
  const { text, steps } = provider.question(body)
  const [, id, plan, cut] = [...text.matchAll(planned)].at(-1) ?? []
  const words = plan?.split(',')[steps]?.split('+')
  return id !== undefined && words ? { id, step: steps, words, cut: cut !== undefined } : undefined
}

export const isPlanned = (text: string): boolean => text.search(planned) >= 0

export function moveOf(word: string): Move {
  const move = moves[word]
  if (!move) throw new Error(`the plan has an unknown word: ${word}`)
  return move
}
