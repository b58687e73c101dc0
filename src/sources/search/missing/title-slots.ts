import { headingKey } from '../../text/heading-keys.ts'
import { withoutPrefixes } from '../../text/hebrew.ts'
import { lazy } from '../../text/lazy.ts'
import { peopleGroups } from '../../vocabulary/names/people-names.ts'
import { type HeadStrength, headStrength } from '../../vocabulary/titles/title-heads.ts'
import { type BookCue, bookCue, isFromTown } from './book-cues.ts'
import { endsTitleBefore, type NamedBook, overlap, trimmed } from './named-books.ts'

/** `familiar`: words that occur in no text of the library if the name is a title. */
export type TitleSlot = NamedBook & { readonly familiar: string }

/** Maximum number of names per text, and maximum length of a text that counts as a question. */
const maxSlots = 5
const longestQuestion = 600

/**
 * Finds names that a question presents as a book: a first word typical of titles with the words after it (`Orchot
 * HaX`, `תולדות X`), or two words joined by an article or conjunction (`X VaY`), if the sentence asks what they say
 * (`bookCue`). The caller checks whether the name is a term or a known work.
 */
export function titleSlots(text: string): readonly TitleSlot[] {
  if (text.length > longestQuestion) return []
  const found: TitleSlot[] = []
  for (const slot of [...englishSlots(text), ...hebrewSlots(text)])
    if (found.length < maxSlots && !found.some((one) => overlap(one, slot))) found.push(slot)
  return found
}

const capital = "\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}"
/** Two or more capitalised words. A question in title case is not read. */
const names = new RegExp(
  `(?<![\\p{L}\\p{M}'’-])${capital}(?: (?:(?:of|the|al|ha|de|le|shel) )?${capital}){1,4}`,
  'gu',
)
const joined = /^(?:Ha|Va|Ve|VeHa|Le|La|Be|Ba|Mi|SheBe)-?\p{Lu}\p{Ll}{2,}/u
/** In small letters, a title is one of the most typical first words and the word after it. */
const small = /(?<![\p{L}'’-])(\p{Ll}[\p{Ll}'’]{3,12}) (\p{Ll}[\p{Ll}'’-]{2,20})/gu
const givenNames = lazy(
  (): ReadonlySet<string> =>
    new Set(
      [
        ...peopleGroups
          .flat()
          .flatMap((name) => (/^[A-Z]\p{L}+ /u.test(name) ? [name.split(' ')[0] ?? ''] : [])),
        ...'Rabbi Rav Reb Rebbe R Eliyahu David Aharon Yosef Moshe Shlomo Avraham Sarah Yehudah Yehuda Shimon Pinchas Rosh Eretz Am Yom Shabbat Shabbos Kiryat Ramat Givat'.split(
          ' ',
        ),
      ].map((name) => name.toLowerCase()),
    ),
)

function strengthOf(word: string): HeadStrength | undefined {
  return headStrength(headingKey(word))
}

function englishSlots(text: string): readonly TitleSlot[] {
  const found: TitleSlot[] = []
  for (const match of text.matchAll(names)) {
    const title = trimmed(match[0])
    const start = match.index + match[0].indexOf(title)
    if (title.includes(' ') && asksForBook(text, title, start)) found.push(slotAt(start, title))
  }
  for (const match of text.matchAll(small))
    if (strengthOf(match[1] ?? '') === 'sure' && isAsked(text, match.index, match[0]))
      found.push(slotAt(match.index, match[0]))
  return found
}

/** Words before `in` and a name which show that the name is not a place. */
const said =
  /\b(?:discuss|explain|sa(?:y|id)|writ(?:e|ten)|wrote|find|found|describe|taught|parable|story|idea|teaching|passage|mention|quote|read)(?:s|d|ed|ing)?\b.{0,60} (?:in|from) (?:the )?$/i

function asksForBook(text: string, title: string, start: number): boolean {
  const [first = '', second = ''] = title.split(' ')
  const cue = bookCue(text, start, start + title.length)
  const strength = strengthOf(first)
  if (strength) return suffices(strength, cue)
  const isPlace =
    /\b(?:[Ii]n|[Ff]rom) (?:the )?$/.test(text.slice(0, start)) && !said.test(text.slice(0, start))
  return isAnyCue(cue) && joined.test(second) && !isPlace && !givenNames().has(first.toLowerCase())
}

/** Whether the cues suffice for a first word. A common word needs a cue that calls the name a book. */
function suffices(strength: HeadStrength, cue: BookCue): boolean {
  return strength === 'weak' ? cue.isBook : isAnyCue(cue)
}

function isAnyCue({ isBook, isSource, isAbout, isFact }: BookCue): boolean {
  return isBook || isSource || isAbout || isFact
}

function isAsked(text: string, start: number, name: string): boolean {
  return isAnyCue(bookCue(text, start, start + name.length))
}

const hebrewWord = /[א-ת](?:[א-ת"'׳״]*[א-ת'׳])?/gu
/** Words before `ב` and a name which show that the name is a text. */
const readIn =
  /(?:^|[^א-ת])[שה]?(?:מובא|מובאת|מובאים|מבואר|מבוארת|כתוב|כתובה|נאמר|מופיע|מופיעה|מסופר|כתב|כותב|מוסבר|מוזכר|מוזכרת|מתואר|מקור|המקור|המשל|הסיפור|נמצא|ראיתי|קראתי|לומד|לומדים|למדתי)(?: [א-ת"'׳״]+){0,3} [שה]?[במ](?:ספר )?$/u
/** Words after a name which show that the name is a text. */
const readThere = /^ (?:מובא|מובאת|מובאים|מבואר|מבוארת|כתוב|נאמר|מופיע|מופיעה|מסופר|מוסבר|מוזכר)(?![א-ת])/u
const bookWord = /(?<!(?:איזה|איזו|אילו) )(?<![א-ת])[שוה]?ב(?:ספר|ספרו|חיבורו) $/u
/** After `בספר` these words are not names. */
const describing =
  /^(?:ה.*|זה|אחד|טוב|חדש|ישן|עתיק|קדוש|אחר|שלי|שלו|שלך|שלנו|ש.*ת[יםה]?|קטן|גדול|מסוים|כלשהו|כזה|לימוד|בישול|קודש|תורה)$/u

function hebrewSlots(text: string): readonly TitleSlot[] {
  const words = [...text.matchAll(hebrewWord)].map((match) => ({ start: match.index, written: match[0] }))
  return words.flatMap((_, at) => hebrewSlot(text, words, at) ?? [])
}

type Word = { readonly start: number; readonly written: string }

function hebrewSlot(text: string, words: readonly Word[], at: number): TitleSlot | undefined {
  const word = words[at] as Word
  const title = hebrewTitle(text, words, at)
  if (title === undefined) return undefined
  const end = word.start + title.length
  const inBook = bookWord.test(text.slice(Math.max(0, word.start - 16), word.start))
  if (inBook && !describing.test(word.written)) {
    const behind = title.split(' ').slice(1)
    return behind.some((one) => describing.test(one) && !/^ה/.test(one))
      ? undefined
      : slotAt(word.start, title)
  }
  for (const base of withoutPrefixes(headingKey(word.written))) {
    const strength = strengthOf(base)
    if (!strength) continue
    const cut = headingKey(word.written).length - base.length
    const start = word.start + cut
    if (
      cut > 0 ? !isPrefixedBook(text, start, end, strength) : !suffices(strength, bookCue(text, start, end))
    )
      continue
    return slotAt(start, title.slice(cut))
  }
  return undefined
}

/**
 * Whether the sentence asks what a name after a prefix such as ב says. Common first words with a prefix are usually
 * not titles.
 */
function isPrefixedBook(text: string, start: number, end: number, strength: HeadStrength): boolean {
  if (strength !== 'weak' && readThere.test(text.slice(end))) return true
  const cue = bookCue(text, start, end)
  return suffices(strength, cue) && (cue.isBook || strength === 'sure' || readIn.test(text.slice(0, start)))
}

/**
 * Returns the range of a Hebrew title: two words, or three if the second has no article and the clause ends after the
 * third.
 */
function hebrewTitle(text: string, words: readonly Word[], at: number): string | undefined {
  const run = words.slice(at, at + 4).filter(({ start }, i, all) => {
    const before = all[i - 1]
    return !before || text.slice(before.start + before.written.length, start) === ' '
  })
  const isRun = (count: number): boolean => words.slice(at, at + count).every((word, i) => run[i] === word)
  const [first, second, third, fourth] = run.map(({ written }) => written)
  if (
    first === undefined ||
    endsTitleBefore(first) ||
    second === undefined ||
    !isRun(2) ||
    second.length < 3 ||
    endsTitleBefore(second)
  )
    return undefined
  const two = `${first} ${second}`
  if (third === undefined || !isRun(3) || /^ה/.test(second) || endsTitle(third)) return two
  return fourth === undefined || !isRun(4) || endsTitleBefore(fourth) ? `${two} ${third}` : two
}

function endsTitle(word: string): boolean {
  return endsTitleBefore(word) || isFromTown(word)
}

function slotAt(start: number, title: string): TitleSlot {
  const [first = '', second = ''] = title.split(' ')
  // `X HaY` also means `the X of Y`: with words of the field it is not a title.
  const isPlain = strengthOf(headingKey(first)) === undefined && joined.test(second)
  const familiar = isPlain ? second.replace(/^(?:VeHa|Ha|Va|Ve|Le|La|Be|Ba|Mi)-?/, '') : title
  return { start, end: start + title.length, title, familiar }
}
