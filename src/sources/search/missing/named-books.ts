import { wordsOfRole } from '../../refs/grammar/text-words.ts'

/** UTF-16 start and end of a part of a text; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number }

export function overlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}

/** A name that the text presents as the title of a book. */
export type NamedBook = Span & { readonly title: string }

const name = "\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}"
const small = '(?:of|the|and|in|on|al|ha|de|le|be|va|to|for)'
/** Two or more capitalised words, with small words only between them. */
const names = `${name}(?: (?:${small} ){0,2}${name}){1,7}`
const oneName = `${name}(?: (?:${small} ){0,2}${name}){0,7}`
const teacher = '(?:R\\.|R’|Rav|Rabbi|Rebbe|Reb|Rabbeinu)'
const quote = '["“”„«»״*_‘’\']{1,2}'
const hebrewWord = '[א-ת][א-ת"\'׳״]{1,14}'
const hebrewTeacher = '(?:רבי|ר\'|ר׳|הרב|רבינו|אדמו"ר|אדמו״ר|תלמיד|הרה"ק|הרה״ק|האדמו"ר)'

/** English patterns; group 1 is the title. Every part has a maximum length, so that time is linear in the text. */
const english: readonly RegExp[] = [
  // `the book Ohr HaNeshamot`, `Sefer X Y`
  new RegExp(
    `\\b(?:book|sefer|work|treatise|tractate|volume|essay|pamphlet)(?: called| entitled| titled| named)? (?:the )?(${oneName})`,
    'gu',
  ),
  new RegExp(
    `\\b((?:Sefer|Maamar|Ma'amar|Kuntres|Iggeret|Igeret|Igeres|Iggeres|Heichal|Shaar|Sha'ar|Sichat|Likutei|Likkutei|Toldot|Toldos|Be'er|Beer|Maayan|Ma'ayan|Pirkei|Divrei|Imrei|Netivot|Netivos|Ohr|Or) (?:${small} ){0,2}${oneName})`,
    'gu',
  ),
  // `Tanya Zuta by Rabbi Shneur`
  new RegExp(`\\b(${names}),? by ${teacher} `, 'gu'),
]

/** Patterns for titles in quotation marks, which are accepted in any form. */
const quoted: readonly RegExp[] = [
  new RegExp(`\\b(?:[Ii]n|[Ff]rom|of) ${quote}(${names})${quote}[,?]`, 'gu'),
  new RegExp(
    `(?:book|sefer|work|treatise|essay|pamphlet|according to)(?: the| called| entitled)? ${quote}(${names})${quote}`,
    'giu',
  ),
]
/**
 * Matches a title in small letters: `what does sefer mishkenot haruach say`. It ends where the sentence continues.
 */
const inSmallLetters =
  /\bsefer ((?:[a-z'’-]{3,20} ){1,3}[a-z'’-]{3,20}) (?=says?|teach|writes?|explains?|about)/gu

const hebrewWords = `${hebrewWord}(?: ${hebrewWord}){1,5}`
const hebrew: readonly RegExp[] = [
  // `"שער השערות" של רבי`, `מ"ליקוטי שלג" לרבי`, `לפי "תניא זוטא"`, `מה אומר "צינור הדמעות" על`
  new RegExp(`["“”״„](${hebrewWords})["“”״] (?:של |מאת |ל)(?:ה?תלמיד |ה?מגיד )?${hebrewTeacher}`, 'gu'),
  new RegExp(
    `(?:לפי|אומר|אומרת|כותב|מלמד|מסביר|מבאר|בעל|בספר|ספר|הספר|מספר|ב?ספרו|ע"פ|על פי|מתוך|מאמר|קונטרס|ב?חיבורו?) [במל]?["“”״„](${hebrewWords})["“”״]`,
    'gu',
  ),
  // `ספרו של רבי נחמן "מגדל האוויר"`
  new RegExp(
    `(?:ספר|ספרו|חיבורו) של ${hebrewTeacher}(?: [א-ת"'׳״]{2,15}){0,4}? ["“”״„](${hebrewWords})["“”״]`,
    'gu',
  ),
]
/**
 * Matches a title without quotation marks. It needs a word with an article, or its author after it. `מספר` is
 * excluded because it means "number", and `איזה ספר` because it asks for a book.
 */
const unquotedHebrew = new RegExp(
  `(?<![א-ת])(?<!(?:איזה|איזו|אילו|כל|שום|עוד) )(?:[בלמהשו]{0,2})((?:(?<!מ)ספר|קונטרס|מאמר|א?יגרת|אגרת|חיבור|מסכת) ${hebrewWord}(?: ${hebrewWord}){0,4})`,
  'gu',
)
const hasAuthor = new RegExp(`^ (?:של |מאת |ל)(?:ה?תלמיד |ה?מגיד )?${hebrewTeacher}`)

/** Maximum number of names in one text. */
const maxBooks = 20
/** Only this many characters are read. Longer texts are not questions. */
const longestText = 4_000

/**
 * Finds names that a text presents as titles of books: `the book X`, `X by Rabbi Y`, `ספר X`, and titles in quotation
 * marks.
 */
export function namedBooks(text: string): readonly NamedBook[] {
  const read = text.slice(0, longestText)
  const found: NamedBook[] = []
  for (const pattern of [...quoted, ...english, inSmallLetters, ...hebrew, unquotedHebrew]) {
    for (const match of read.matchAll(pattern)) {
      const book = bookIn(read, pattern, match)
      const isFree = book && !found.some((other) => overlap(other, book))
      if (isFree && found.length < maxBooks) found.push(book)
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

/** Words before a title that say what kind of book it is: `ספר החסידות מגדל הכוכבים`. */
const subjectOfBook =
  /^ספר ה(?:חסידות|חסידי|מוסר|קבלה|קבלי|דרוש|דרשות|הלכה|קדוש|נודע|ידוע|מפורסם|עתיק) (?=[א-ת"'׳״]+ ה?[א-ת])/u

function bookIn(text: string, pattern: RegExp, match: RegExpExecArray): NamedBook | undefined {
  const written = match[1] ?? ''
  const title = quoted.includes(pattern) ? written : trimmed(written).replace(subjectOfBook, '')
  const start = match.index + match[0].indexOf(title)
  if (!title.includes(' ') || (pattern === unquotedHebrew && !isTitle(title, text, start))) return undefined
  return { start, end: start + title.length, title }
}

/**
 * Whether an unquoted Hebrew name is a title: its author follows, or it has a word with an article. In `הספר החשוב`
 * the article marks an adjective, not a title.
 */
function isTitle(title: string, text: string, start: number): boolean {
  if (hasAuthor.test(text.slice(start + title.length, start + title.length + 60))) return true
  return / ה[א-ת]{2}/.test(title) && text.charAt(start - 1) !== 'ה'
}

/** First words of a sentence. They are capitalised but are not part of the title after them. */
const opening =
  /^(?:(?:Explain|Summari[sz]e|Describe|Discuss|Tell|Teach|Show|Give|Quote|Compare|Find|Translate|According|What|Where|Which|Who|When|Can|Does|Do|Did|Is|In|On|From|Why|How|See|Read|And|But|I|The)(?: (?:me|us|to|from|in|of|about|is|does|the))* )+/

/** Hebrew words with which the sentence continues after a title. */
const behindTitle = wordsOfRole('behind-title')

/** Whether the sentence continues with a Hebrew word after a title. */
export function endsTitleBefore(word: string): boolean {
  return behindTitle.has(word)
}

/** A title without the first words of its sentence, its author, and words with which the sentence continues. */
export function trimmed(title: string): string {
  if (!/^[א-ת]/.test(title))
    return title
      .replace(opening, '')
      .replace(/ (?:of|by|from) (?:R\.?|Rav|Rabbi|Rebbe|Reb|Rabbeinu|the)(?: .*)?$/, '')
      .replace(/['’-]+$/, '')
      .replace(/['’]s$/, '')
  const words = title.split(' ')
  const end = words.findIndex((word, i) => i > 0 && endsTitleBefore(word))
  return (end < 0 ? words : words.slice(0, end)).join(' ').replace(/["'׳״]+$/, '')
}
