import type { Token } from '../../text/tokens.ts'
import { groupsOfWord, type NameGroup, namesAt } from '../../vocabulary/lookup.ts'
import { peopleGroups } from '../../vocabulary/names/people-names.ts'
import { bookNames } from '../../vocabulary/titles/works-table.ts'

/** A work or author from which a question wants its answer. */
export type NamedSource = {
  readonly group: NameGroup
  readonly isBook: boolean
  /** Range of the words that name it, including the cue: `[first, end)`, indexes in the question. */
  readonly first: number
  readonly end: number
}

const books: ReadonlySet<string | undefined> = new Set(bookNames.map(([first]) => first))
const people: ReadonlySet<string | undefined> = new Set(peopleGroups.map(([first]) => first))

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))

/** Words between a cue and the name: articles and titles. */
const between = words(
  'the a rabbi rebb rabi rav r reb sefer book holi great רבי ר רב הרב רבנו רבינו ספר אדמור הספר',
)

/** Cues before a name: `according to the Tanya`, `לפי התניא`. */
const cuesBefore = words(
  'לפי לדעת לשיטת כדברי לדברי בשיטת בתורת במשנת אצל בשם דעת שיטת דברי תורת משנת עפ אליבא בספר בכתבי בתורתו בהגות',
)

/**
 * Nouns of what a source contains, before `of` or after the name: `the teachings of the Besht`, `the Maggid's view`.
 */
const possessions = words(
  `teach view opinion approach word write philosophi thought school explan definit interpret parabl idea concept
  doctrin say counsel advic understand שיטה דעה תורה זאגט שרייבט לערנט`,
)

/** Stems of verbs for what a source does, next to the name: `what does the Alter Rebbe say`. */
const speech = words(
  `say says said teach taught explain mean call describe describ think thought understand hold view tell
  compar defin discuss interpret distinguish answer advis warn speak talk claim argu divid recommend bring cite quot
  state expound read see recommend promis requir demand
  אומר אומרת כותב מסביר מלמד מבאר סובר אמר מבינ מגדיר מתאר מפרש מבחינ מחלק לימד הסביר ביאר מדבר מציע מייעצ דורש
  מבטיח מזהיר רואה תופס`,
)

const questionVerbs = words('do does did would')

/** Finds the first work or author that cues next to its name mark as the source. */
export function findNamedSource(tokens: readonly Token[]): NamedSource | undefined {
  for (let at = 0; at < tokens.length; at += 1) {
    for (const { group, length } of namesOfSources(tokens, at)) {
      const isBook = books.has(group.names[0])
      const cue = cueAt(tokens, at, at + length, isBook)
      if (cue) return { group, isBook, ...cue }
    }
  }
  return undefined
}

function namesOfSources(
  tokens: readonly Token[],
  at: number,
): readonly { readonly group: NameGroup; readonly length: number }[] {
  const token = tokens[at]
  const found = namesAt(tokens, at)
  const all =
    found.length > 0 || !token ? found : groupsOfWord(token.term).map((group) => ({ group, length: 1 }))
  return all.filter(({ group: { names } }) => books.has(names[0]) || people.has(names[0]))
}

type Extent = { readonly first: number; readonly end: number }

/** The range of the cue and the name, if there is a cue. */
function cueAt(tokens: readonly Token[], at: number, end: number, isBook: boolean): Extent | undefined {
  let first = at
  while (between.has(tokens[first - 1]?.term ?? '')) first -= 1
  const before = cueBefore(tokens, first, isBook)
  if (before !== undefined) return { first: before, end }
  const after = tokens[end]?.term ?? ''
  if (!speech.has(after) && !possessions.has(after)) return undefined
  return { first: questionVerbs.has(tokens[first - 1]?.term ?? '') ? first - 1 : first, end: end + 1 }
}

/** Pairs of words that form a cue together. */
const pairs = new Set(['according to', 'על פי'])

/** Index of the first word of a cue that ends before `tokens[first]`. */
function cueBefore(tokens: readonly Token[], first: number, isBook: boolean): number | undefined {
  const [before, above] = [tokens[first - 1], tokens[first - 2]?.term ?? '']
  const term = before?.term ?? ''
  if (pairs.has(`${above} ${term}`) || (term === 'of' && possessions.has(above))) return first - 2
  if (cuesBefore.has(term) || (isBook && term === 'in')) return first - 1
  if (before?.script === 'he' && speech.has(term)) return first - 1
  return isBook && beginsWithIn(tokens[first]) ? first : undefined
}

/** Whether the name has the Hebrew preposition for "in": `בתניא`, `שבליקוטי מוהר"ן`. */
function beginsWithIn(token: Token | undefined): boolean {
  return token !== undefined && token.script === 'he' && /^[וש]?ב/.test(token.term)
}
