/** A made-up library: letters and lengths like those of real texts, word frequencies by Zipf's law, no meaning. */

import { randomFrom } from '../support/random.ts'

export type SyntheticOptions = {
  readonly passages: number
  readonly seed: number
  /** Words of each language before they bear prefixes; default: 250,000, more than any real library has. */
  readonly vocabulary?: number
  /** Real words that take every second rank after the function words, so that queries with them are expanded. */
  readonly words?: Readonly<Record<'he' | 'en', readonly string[]>>
  /** Number of words of a passage: the minimum, and the length of the range above it; default: 40 to 180. */
  readonly lengths?: readonly [least: number, range: number]
}

export type SyntheticPassage = {
  readonly index: number
  readonly language: 'he' | 'en'
  readonly text: string
}

/** Words that lead every Hebrew and English frequency list; a made-up vocabulary needs them to be like a real one. */
const commonHebrew =
  'של על אל את אם או כי לא אין יש הוא היא הם זה זו כל גם רק אך אף עד עם מן כמו אשר לו לה להם בו בה היה להיות מה מי לפי בין אחר אבל'.split(
    ' ',
  )
const commonEnglish =
  'the of and to in is that it he was for on are as with his they at be this from have or by one had not but what all were when we there can an'.split(
    ' ',
  )
const hebrewPrefixes = ['ו', 'ה', 'ב', 'כ', 'ל', 'מ', 'ש', 'וה', 'שב', 'ול', 'ד']

const defaultVocabulary = 250_000
/** Slightly above 1, it leaves a long tail of rare words, as books have. */
const exponent = 1.02

/** Slots of the table from which words are drawn. The rarest word of 250,000 has about four. */
const slots = 2 ** 24

type Vocabulary = { word(random: () => number): string }

function makeVocabulary(
  common: readonly string[],
  letters: string,
  seed: number,
  size: number,
  real: readonly string[],
): Vocabulary {
  const random = randomFrom(seed)
  const words = [...common]
  const known = new Set([...words, ...real])
  const given = real.filter((word) => !common.includes(word))
  while (words.length < size) {
    const next = words.length % 2 === 0 ? given[(words.length - common.length) >> 1] : undefined
    if (next !== undefined) {
      words.push(next)
      continue
    }
    // Common words are short, rare ones long.
    const length = 3 + Math.floor(random() * (2 + Math.log10(words.length)))
    let word = ''
    for (let i = 0; i < length; i += 1) word += letters[Math.floor(random() * letters.length)]
    if (!known.has(word)) {
      known.add(word)
      words.push(word)
    }
  }
  const table = rankTable(size)
  return { word: (draw) => words[table[Math.floor(draw() * slots)] as number] as string }
}

/** The rank of each slot: a rank has as many slots as its frequency. */
function rankTable(size: number): Uint32Array {
  let sum = 0
  for (let rank = 0; rank < size; rank += 1) sum += 1 / (rank + 3) ** exponent
  const table = new Uint32Array(slots)
  let [reached, from] = [0, 0]
  for (let rank = 0; rank < size; rank += 1) {
    reached += 1 / (rank + 3) ** exponent
    const to = rank === size - 1 ? slots : Math.round((reached / sum) * slots)
    table.fill(rank, from, to)
    from = to
  }
  return table
}

/** Seven passages in ten are Hebrew, as in the library this stands for. */
const hebrewShare = 0.7
const prefixedShare = 0.35

export function* syntheticPassages(options: SyntheticOptions): Generator<SyntheticPassage> {
  const {
    seed,
    vocabulary: size = defaultVocabulary,
    words: real,
    lengths: [least, range] = [40, 140],
  } = options
  const hebrew = makeVocabulary(commonHebrew, 'אבגדהוזחטיכלמנסעפצקרשת', seed, size, real?.he ?? [])
  const english = makeVocabulary(
    commonEnglish,
    'aabcdeefghiijklmnoopqrsttuvwxyz',
    seed + 1,
    size,
    real?.en ?? [],
  )
  const random = randomFrom(seed + 2)
  for (let index = 0; index < options.passages; index += 1) {
    const language = random() < hebrewShare ? 'he' : 'en'
    const vocabulary = language === 'he' ? hebrew : english
    const length = least + Math.floor(range * random())
    const words = passageWords(vocabulary, length, language === 'he', random)
    yield { index, language, text: words.join(' ') }
  }
}

function passageWords(
  vocabulary: Vocabulary,
  length: number,
  hebrew: boolean,
  random: () => number,
): readonly string[] {
  // A passage has a subject: some words return in it.
  const subject = Array.from({ length: 6 }, () => vocabulary.word(random))
  return Array.from({ length }, () => {
    const returns = random() < 0.1
    const base = returns ? (subject[Math.floor(random() * subject.length)] ?? '') : vocabulary.word(random)
    const prefixed = hebrew && random() < prefixedShare && base.length > 2
    return prefixed ? (hebrewPrefixes[Math.floor(random() * hebrewPrefixes.length)] ?? '') + base : base
  })
}

/** A question about a passage: eight of its words, some in another form, among two that it does not have. */
export function questionAbout(
  passage: Pick<SyntheticPassage, 'language' | 'text'>,
  other: Pick<SyntheticPassage, 'text'>,
  random: () => number,
): string {
  const own = passage.text.split(' ')
  const foreign = other.text.split(' ')
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? ''
  const words = Array.from({ length: 10 }, (_, i) => (i < 8 ? pick(own) : pick(foreign)))
  return words
    .map((word) =>
      passage.language === 'he' && random() < 0.3
        ? (hebrewPrefixes[Math.floor(random() * hebrewPrefixes.length)] ?? '') + word
        : word,
    )
    .join(' ')
}
