import { tokenize } from '../../text/tokens.ts'
import { expansionOf, groupsOfWord, namesAt } from '../../vocabulary/lookup.ts'
import { type ComparedWord, countAbbreviatedWords, isAbbreviated, maxWords } from './abbreviations.ts'

/** One step of an alignment: a number of words of the quotation matches a number of words of the text. */
export type Step = {
  readonly quoted: number
  readonly passed: number
  /** `name`: another name of the same person or thing. */
  readonly kind: 'same' | 'abbreviation' | 'name' | 'changed' | 'left_out' | 'added'
}

/** The cheapest alignment of two lists of words. */
export type Alignment = {
  readonly steps: readonly Step[]
  /** Index of the first word of the text that is used. */
  readonly from: number
  /** Letters that differ. */
  readonly cost: number
}

/** Maximum product of both word counts: about 10 ms. */
const maxCells = 30_000

type Cell = { readonly cost: number; readonly from: number; readonly step: Step | undefined }

/**
 * Aligns the words of a quotation with a part of a text; words at the edges of the text may stay unused. This is
 * semi-global alignment (Needleman and Wunsch) with letters as costs. An abbreviation or another name of the same
 * person or thing costs nothing.
 * @returns undefined for more than `maxCells`.
 */
export function alignWords(
  quote: readonly ComparedWord[],
  text: readonly ComparedWord[],
): Alignment | undefined {
  if (quote.length * text.length > maxCells) return undefined
  const rows: Cell[][] = []
  const sides = {
    quote,
    text,
    quoteNames: namesEnding(quote),
    textNames: namesEnding(text),
    quoteShort: quote.map(isAbbreviated),
    textShort: text.map(isAbbreviated),
  }
  for (let i = 0; i <= quote.length; i += 1) {
    const row: Cell[] = []
    rows.push(row)
    for (let j = 0; j <= text.length; j += 1) row.push(bestCell(rows, i, j, sides))
  }
  return readBack(rows, quote.length)
}

/** Both lists of words, with the names in them. */
type Sides = {
  readonly quote: readonly ComparedWord[]
  readonly text: readonly ComparedWord[]
  readonly quoteNames: readonly NamesEnding[]
  readonly textNames: readonly NamesEnding[]
  /** For each word, whether it is an abbreviation. */
  readonly quoteShort: readonly boolean[]
  readonly textShort: readonly boolean[]
}

type Consider = (kind: Step['kind'], quoted: number, passed: number, cost: number) => void

const start: Cell = { cost: 0, from: 0, step: undefined }

function bestCell(rows: readonly (readonly Cell[])[], i: number, j: number, sides: Sides): Cell {
  if (i === 0) return { ...start, from: j }
  let best: Cell | undefined
  const consider: Consider = (kind, quoted, passed, cost) => {
    const before = rows[i - quoted]?.[j - passed]
    if (before === undefined || (best !== undefined && before.cost + cost >= best.cost)) return
    best = { cost: before.cost + cost, from: before.from, step: { kind, quoted, passed } }
  }
  const mine = sides.quote[i - 1]
  const other = sides.text[j - 1]
  if (mine !== undefined && other !== undefined) {
    const cost = mine.letters === other.letters ? 0 : lettersApart(mine.letters, other.letters)
    consider(cost === 0 ? 'same' : 'changed', 1, 1, cost)
    considerAbbreviations(i, j, sides, consider)
    const names = cost === 0 ? undefined : sameName(sides.quoteNames[i - 1], sides.textNames[j - 1])
    if (names !== undefined) consider('name', names[0], names[1], 0)
  }
  if (mine !== undefined) consider('added', 1, 0, mine.letters.length + 1)
  if (other !== undefined) consider('left_out', 0, 1, other.letters.length + 1)
  return best ?? start
}

/** Tries abbreviations that end here, on either side, with the words they stand for. */
function considerAbbreviations(i: number, j: number, sides: Sides, consider: Consider): void {
  if (sides.quoteShort[i - 1]) {
    for (const [count, cost] of countsOf(sides.quote[i - 1], sides.text, j))
      consider('abbreviation', 1, count, cost)
  }
  if (sides.textShort[j - 1]) {
    for (const [count, cost] of countsOf(sides.text[j - 1], sides.quote, i))
      consider('abbreviation', count, 1, cost)
  }
}

/** Cost of an abbreviation that the vocabulary does not have: its letters begin the words, and may mean others. */
const unknownCost = 1

/**
 * Numbers of words before `end` that an abbreviation may stand for, each with its cost. One that the vocabulary has
 * stands only for the words that it has there.
 */
function countsOf(
  short: ComparedWord | undefined,
  words: readonly ComparedWord[],
  end: number,
): readonly (readonly [count: number, cost: number])[] {
  const counts: [number, number][] = []
  for (let count = 1; short !== undefined && count <= Math.min(maxWords, end); count += 1) {
    // A cheap test: most words begin with another letter.
    if (words[end - count]?.letters[0] !== short.letters[0]) continue
    const meant = words.slice(end - count, end).map(({ letters }) => letters)
    if (countAbbreviatedWords(short, meant) !== count) continue
    const known = expansionOf(short.letters)
    if (count > 1 && known.some((word) => !meant.some((one) => one.endsWith(word)))) continue
    counts.push([count, count > 1 && known.length === 0 ? unknownCost : 0])
  }
  return counts
}

function readBack(rows: readonly (readonly Cell[])[], quoted: number): Alignment {
  const last = rows[quoted] ?? []
  let at = last.reduce((best, cell, j) => (cell.cost < (last[best]?.cost ?? 0) ? j : best), 0)
  const end = last[at] ?? start
  const steps: Step[] = []
  for (let i = quoted; i > 0; ) {
    const step = rows[i]?.[at]?.step
    if (step === undefined) break
    steps.push(step)
    i -= step.quoted
    at -= step.passed
  }
  return { steps: steps.reverse(), from: end.from, cost: end.cost }
}

const longestCompared = 40
const rowOf = new Uint8Array(longestCompared + 1)

/** Edit distance of two words. For very long words it is the length of the longer one. */
function lettersApart(a: string, b: string): number {
  if (a.length > longestCompared || b.length > longestCompared) return Math.max(a.length, b.length)
  for (let j = 0; j <= b.length; j += 1) rowOf[j] = j
  for (let i = 1; i <= a.length; i += 1) {
    let diagonal = rowOf[0] ?? 0
    rowOf[0] = i
    for (let j = 1; j <= b.length; j += 1) {
      const above = rowOf[j] ?? 0
      const changed = diagonal + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      rowOf[j] = Math.min(changed, above + 1, (rowOf[j - 1] ?? 0) + 1)
      diagonal = above
    }
  }
  return rowOf[b.length] ?? 0
}

/** Names that end at a word: the number of their words, by the id of the group of equivalent names. */
type NamesEnding = ReadonlyMap<string, number>

const none: NamesEnding = new Map()

/**
 * Returns for each word the names that end with it (`Besht`, `Baal Shem Tov`): the number of their words by the id of
 * their group.
 */
function namesEnding(words: readonly ComparedWord[]): readonly NamesEnding[] {
  const tokens = words.map(
    ({ written }) => tokenize(written)[0] ?? { term: '', script: 'en' as const, abbreviated: false },
  )
  const ending = new Map<number, Map<string, number>>()
  const add = (at: number, id: string, length: number): void => {
    const names = ending.get(at) ?? new Map<string, number>()
    ending.set(at, names.set(id, length))
  }
  for (const [at, { term }] of tokens.entries()) {
    if (term === '') continue
    for (const { id } of groupsOfWord(term)) add(at, id, 1)
    for (const { group, length } of namesAt(tokens, at)) add(at + length - 1, group.id, length)
  }
  return words.map((_, at) => ending.get(at) ?? none)
}

/** If two names that end here are equivalent, returns how many words each has. */
function sameName(
  a: NamesEnding | undefined,
  b: NamesEnding | undefined,
): readonly [number, number] | undefined {
  if (a === undefined || b === undefined || a.size === 0 || b.size === 0) return undefined
  for (const [id, length] of a) {
    const other = b.get(id)
    if (other !== undefined) return [length, other]
  }
  return undefined
}
