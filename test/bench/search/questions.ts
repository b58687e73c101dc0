/** Made-up queries of every kind that clients send, about a synthetic library. */
import { sql } from 'drizzle-orm'
import type { Executor } from '../../../src/db/client.ts'
import { type Random, seededRandom } from '../../support/random.ts'
import { questionAbout } from '../synthetic-corpus.ts'
import { lexiconWords, syntheticTitle } from './synthetic-library.ts'

export const kinds = ['passage', 'rare', 'common', 'phrase', 'prefixes', 'sentence', 'place'] as const
export type Kind = (typeof kinds)[number]

/** A query. `target` is the ref of the passage from which it was made, if it was. */
export type Question = { readonly kind: Kind; readonly text: string; readonly target?: string }

type Text = { readonly ref: string; readonly language: 'he' | 'en'; readonly text: string }

/** Words that take the first ranks after the function words. */
const commonRanks = 60

/** Ranks of the words in sentences; the last ones are in some 20 of 100,000 passages. */
const sentenceRanks = 3_000
const booksInQuestions = 12

const prefixes = ['ו', 'ה', 'ב', 'ל', 'מ', 'ש', 'וה', 'שב', 'ול', 'כש'] as const

/** @param each number of queries of each kind. */
export async function makeQuestions(
  executor: Executor,
  { seed, each }: { readonly seed: number; readonly each: number },
): Promise<readonly Question[]> {
  const random = seededRandom(seed)
  const texts = await randomTexts(executor, random, each * 4)
  const words = lexiconWords(7)
  return kinds.flatMap((kind, k) =>
    Array.from({ length: each }, (_, i): Question => {
      const own = texts[(k * each + i) % texts.length] as Text
      const other = texts.find((one, j) => j > i && one.language === own.language && one !== own) ?? own
      return { kind, ...makers[kind]({ own, other, words, random, i }) }
    }),
  )
}

type Material = {
  readonly own: Text
  readonly other: Text
  readonly words: Readonly<Record<'he' | 'en', readonly string[]>>
  readonly random: Random
  readonly i: number
}

const makers: Readonly<Record<Kind, (material: Material) => Omit<Question, 'kind'>>> = {
  /** Ten words, eight of them from one passage. */
  passage: ({ own, other, random }) => ({ text: questionAbout(own, other, random.next), target: own.ref }),
  /** Long words are rare. */
  rare: ({ own }) => {
    const longest = own.text.split(' ').toSorted((a, b) => b.length - a.length)
    return { text: longest.slice(0, 2).join(' '), target: own.ref }
  },
  common: ({ words, random, i }) => {
    const frequent = words[i % 2 === 0 ? 'he' : 'en'].slice(0, commonRanks)
    return { text: [1, 2, 3].map(() => pick(frequent, random)).join(' ') }
  },
  phrase: ({ own, random, i }) => {
    const all = own.text.split(' ')
    const at = random.whole(0, all.length - 6)
    const run = all.slice(at, at + 5).join(' ')
    return { text: i % 2 === 0 ? `"${run}"` : run, target: own.ref }
  },
  prefixes: ({ words, random }) => ({
    text: Array.from(
      { length: 4 },
      () => random.pick(prefixes) + pick(words.he.slice(0, sentenceRanks), random),
    ).join(' '),
  }),
  sentence: ({ words, random, i }) => {
    const word = (language: 'he' | 'en') => pick(words[language].slice(0, sentenceRanks), random)
    return { text: (i % 2 === 0 ? english : hebrew)(word, random.whole(0, 3)) }
  },
  place: ({ words, random, i }) => {
    const title = syntheticTitle(random.whole(0, booksInQuestions - 1))
    const number = random.whole(1, 80)
    const [en, he] = [pick(words.en, random), pick(words.he, random)]
    const forms = [
      `${title} ${number}:${random.whole(1, 12)}`,
      `${title} ${number}: ${en}`,
      `According to ${title}, what is the connection between ${en} and ${pick(words.en, random)}?`,
      `מה אומר התניא בפרק ${number} על ${he}?`,
    ]
    return { text: forms[i % forms.length] ?? title }
  },
}

type WordOf = (language: 'he' | 'en') => string

function english(word: WordOf, form: number): string {
  const forms = [
    `What is the relationship between ${word('en')} and ${word('en')} in the teachings of the Baal Shem Tov?`,
    `I am looking for a source that explains why ${word('en')} leads to ${word('en')}, and how one can overcome ${word('en')}.`,
    `How does a person reach ${word('en')} when he feels ${word('en')}?`,
    `Please find passages about ${word('en')}, ${word('en')} and ${word('en')}, with an explanation of ${word('en')}.`,
  ]
  return forms[form] ?? ''
}

function hebrew(word: WordOf, form: number): string {
  const forms = [
    `מה הקשר בין ${word('he')} ל${word('he')} בתורת הבעל שם טוב?`,
    `איך אדם יכול להגיע ל${word('he')} מתוך ${word('he')}, ומה התפקיד של ה${word('he')} בזה?`,
    `היכן מבואר הענין של ${word('he')} ו${word('he')}?`,
    `חפש מקורות על ${word('he')}, על ${word('he')} ועל ה${word('he')} עם ביאור.`,
  ]
  return forms[form] ?? ''
}

function pick(from: readonly string[], random: Random): string {
  return from[random.whole(0, from.length - 1)] ?? ''
}

async function randomTexts(executor: Executor, random: Random, count: number): Promise<readonly Text[]> {
  const { rows } = await executor.execute<{ last: number }>(
    sql`select max(first_doc + doc_count - 1)::int as last from versions`,
  )
  const docs = Array.from({ length: count }, () => random.whole(1, rows[0]?.last ?? 1))
  const found = await executor.execute<Text>(sql`
    select p.ref, t.language, t.text from passage_texts t join passages p on p.id = t.passage_id
    where t.doc_id = any(${sql.param(docs)}::int[]) order by t.doc_id`)
  return found.rows
}
