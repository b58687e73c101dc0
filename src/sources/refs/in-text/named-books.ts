/** A name in a text that its words present as the title of a book; UTF-16 places, `end` exclusive. */
export type NamedBook = { readonly start: number; readonly end: number; readonly title: string }

const name = "\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}"
const small = '(?:of|the|and|in|on|al|ha|de|le|be|va|to|for)'
/** Two words with capitals or more; small words only between them. */
const names = `${name}(?: (?:${small} ){0,2}${name}){1,7}`
const oneName = `${name}(?: (?:${small} ){0,2}${name}){0,7}`
const teacher = '(?:R\\.|R’|Rav|Rabbi|Rebbe|Reb|Rabbeinu)'
const quote = '["“”„«»״*_‘’\']{1,2}'
const hebrewWord = '[א-ת][א-ת"\'׳״]{1,14}'
const hebrewTeacher = '(?:רבי|ר\'|ר׳|הרב|רבינו|אדמו"ר|אדמו״ר|תלמיד|הרה"ק|הרה״ק|האדמו"ר)'

/** `HaAfar`; not the second words of feasts, persons and common terms. */
const definite =
  "Ha(?!(?:Gadol|Mazon|Torah|Ra|Tov|Shem|Kodesh|Ba|Kohen|Levi|Navi|Shanah?|Omer|Ol|Melech|Tzaddik|Katan|Aretz|Chaim|Bayit|Nefesh|Lev)(?!\\p{L}))\\p{Lu}[\\p{L}’']{2,20}"

/** English patterns: group 1 is the title. Each part of them is bounded, so that a text is read in linear time. */
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
  // `Tanya Zuta by Rabbi Shneur`, `Heichal HaAnachot, the chassidic work of Rabbi Getzel`
  new RegExp(`\\b(${names}),? by ${teacher} `, 'gu'),
  new RegExp(
    `\\b(${names}), (?:the|a|an) (?:[\\p{L}-]{2,15} ){0,3}(?:book|sefer|work|treatise|text|classic|collection|essay) (?:of|by|from) `,
    'gu',
  ),
  // `in Tzeror HaMor of the Sokolover Rebbe`
  new RegExp(`\\b(?:[Ii]n|[Ff]rom) (${names}) of the ${name} Rebbe\\b`, 'gu'),
  // `Ginzei HaKesef by the Maggid`
  new RegExp(`\\b(${names}),? (?:by|of) the (?:Maggid|Alter Rebbe|Baal Shem|Besht|Mitteler Rebbe)`, 'gu'),
  // `what does Netivei HaAfar teach`, `according to Netivei HaAfar`: a definite second word makes a title
  new RegExp(
    `\\b(?:[Ww]hat does|[Hh]ow does|[Aa]ccording to|[Ww]hat is written in|[Cc]lassic|[Qq]uote (?:\\p{Ll}+ ){0,3}from) (?!(?:${teacher}|Rosh|Birkat|Eliyahu|David|Aharon|Yosef|Moshe|Shlomo) )(${name} ${definite})(?= (?:say|teach|write|explain|describe|interpret|on|about)|[.,?]|$)`,
    'gu',
  ),
  // `"Pillar of Seven Lanterns" by Rabbi Anshel`, `according to "Pillar of Seven Lanterns"`
  new RegExp(
    `${quote}(${oneName})${quote},? (?:by|of|from) (?:the )?(?:${teacher}|disciple|student|Maggid)`,
    'gu',
  ),
  new RegExp(
    `(?:book|sefer|work|treatise|according to|called|entitled)(?: the)? ${quote}(${oneName})${quote}`,
    'giu',
  ),
]

/** Patterns for titles in quotation marks, which are taken as they stand. */
const quoted: readonly RegExp[] = [
  new RegExp(`\\b(?:[Ii]n|[Ff]rom|of) ${quote}(${names})${quote}[,?]`, 'gu'),
  new RegExp(
    `\\b(?:read|saw|found|written|quoted?|cited|learned) (?:\\p{Ll}+ ){0,3}?(?:in|from) ${quote}(${names})${quote}`,
    'gu',
  ),
  new RegExp(
    `(?:book|sefer|work|treatise|essay|pamphlet)(?: the| called| entitled)? ${quote}(${names})${quote}`,
    'giu',
  ),
]
/** `what does sefer mishkenot haruach say`: in small letters a title ends where the sentence goes on. */
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
  // `כתב רבי משה ב"עטרת שלמה הקטן"`, `ספר בשם "יסוד הצימאון"`
  new RegExp(
    `(?:כתב|כותב|כתוב|נאמר|ציטוט|מובא|מבואר|קטע|רעיון)(?: [א-ת'׳]{2,12}){0,4} [במ]["“”״„](${hebrewWords})["“”״]`,
    'gu',
  ),
  new RegExp(`ספר (?:חסידי )?(?:בשם|הנקרא|ששמו) ["“”״„](${hebrewWords})["“”״]`, 'gu'),
  // `ספרו של רבי נחמן "מגדל האוויר"`
  new RegExp(
    `(?:ספר|ספרו|חיבורו) של ${hebrewTeacher}(?: [א-ת"'׳״]{2,15}){0,4}? ["“”״„](${hebrewWords})["“”״]`,
    'gu',
  ),
  // `בחיבורו כסא האור, מה`
  /(?:ב?ספרו|ב?חיבורו) ([א-ת"'׳״]{2,15} ה[א-ת]{2,15})(?=[,?.:]|$)/gu,
]
/**
 * Without quotation marks a title has a definite word, or its author behind it. `מספר` is a number, and `איזה ספר` asks for a
 * book without naming it.
 */
const unquotedHebrew = new RegExp(
  `(?<![א-ת])(?<!(?:איזה|איזו|אילו|כל|שום|עוד) )(?:[בלמהשו]{0,2})((?:(?<!מ)ספר|קונטרס|מאמר|א?יגרת|אגרת|חיבור|מסכת) ${hebrewWord}(?: ${hebrewWord}){0,4})`,
  'gu',
)
const hasAuthor = new RegExp(`^ (?:של |מאת |ל)(?:ה?תלמיד |ה?מגיד )?${hebrewTeacher}`)

/** Further names in one text are left out. */
const maxBooks = 20
/** What presents a book stands near the question's words: of a longer text the rest is not read. */
const longestText = 4_000

/** Finds what a text presents as the titles of books: `the book X`, `X by Rabbi Y`, `ספר X`, and titles in quotation marks. */
export function namedBooks(text: string): readonly NamedBook[] {
  const read = text.slice(0, longestText)
  const found: NamedBook[] = []
  for (const pattern of [...quoted, ...english, inSmallLetters, ...hebrew, unquotedHebrew]) {
    for (const match of read.matchAll(pattern)) {
      const book = bookIn(read, pattern, match)
      const isFree = book && !found.some(({ start, end }) => start < book.end && book.start < end)
      if (isFree && found.length < maxBooks) found.push(book)
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

function bookIn(text: string, pattern: RegExp, match: RegExpExecArray): NamedBook | undefined {
  const written = match[1] ?? ''
  const title = quoted.includes(pattern) ? written : trimmed(written)
  const start = match.index + match[0].indexOf(title)
  if (!title.includes(' ') || (pattern === unquotedHebrew && !isTitle(title, text, start))) return undefined
  return { start, end: start + title.length, title }
}

/** With its author behind it, or with a definite word; but `הספר החשוב` is an adjective. */
function isTitle(title: string, text: string, start: number): boolean {
  if (hasAuthor.test(text.slice(start + title.length, start + title.length + 60))) return true
  return / ה[א-ת]{2}/.test(title) && text.charAt(start - 1) !== 'ה'
}

/** Words with which a question begins: a capital makes them no part of the title behind them. */
const opening =
  /^(?:Explain|Summarize|Summarise|Describe|Discuss|Tell|Teach|Show|Give|Quote|Compare|Find|Translate|According|What|Which|Does|Do|Is|In|On|From|Why|How|See|Read|And|But|The) (?:(?:me|us|to|from|in|of|about|is|does) )*(?:the )?/

/** Hebrew words that end a title: the sentence goes on with them. */
const hebrewEnd =
  /^(?:של|על|לרבי|לר'|מאת|לגבי|אודות|בעניין|בענין|מה|מהם|מהי|מהו|איך|האם|יש|אומר|כותב|כתוב|מבואר|נאמר|התייחסות|לפי|כאשר|מדבר|מסביר|מלמד|נכתב|נמצא|נדפס|חובר|זה|הזה|זו|שלו|שלי|היא|הוא|פרק|סימן|סי'|דף|אות|ספר|בו|עם|את|אל|כי|לא)$/

function trimmed(title: string): string {
  if (!/^[א-ת]/.test(title))
    return title
      .replace(opening, '')
      .replace(/ (?:of|by|from) (?:R\.?|Rav|Rabbi|Rebbe|Reb|Rabbeinu|the)(?: .*)?$/, '')
      .replace(/['’-]+$/, '')
      .replace(/['’]s$/, '')
  const words = title.split(' ')
  const end = words.findIndex((word, i) => i > 0 && hebrewEnd.test(word))
  return (end < 0 ? words : words.slice(0, end)).join(' ').replace(/["'׳״]+$/, '')
}
