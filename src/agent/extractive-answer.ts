/** What the extractive provider writes: passages of the library, quoted, under marks, in the asker's language. */

export type FoundPassage = {
  /** With brackets, as the tools print it. */
  readonly mark: string
  readonly ref: string
  readonly heRef: string
  readonly language: string
  readonly text: string
  /** Refs of the primary texts that the passage names. */
  readonly pointsTo: readonly string[]
}

const hebrew = /[\u05d0-\u05ea]/u

/** Whether the question is asked in Hebrew. */
export function asksInHebrew(question: string): boolean {
  return hebrew.test(question)
}

const fileWords =
  /\b(files?|sheets?|documents?|docs?|handouts?|markdown|save (it|this|that)|write (it|this|that) (up|down))\b|קובץ|קבצים|דף מקורות|דף לימוד|דפי מקורות|מסמך|גיליון|גליון|תיעוד/iu

/** Words by which people ask for the form of an answer, in both languages: they find nothing in a library. */
const requestWords =
  /\b(please|write|put|it|make|create|prepare|save|give|word|docx|pdf|html|export|produce|me|us|a|an|the|as|into|to|in|for|on|with|about|and|source|study)\b|(?<![\u05d0-\u05ea])(אנא|בבקשה|כתוב|כתבי|הכן|הכיני|צור|צרי|שמור|תן|תני|לי|לנו|עם|על|בתוך)(?![\u05d0-\u05ea])/giu

/** What to search for: the question without its request for a file. */
export function searchWords(question: string): string {
  if (!asksForFile(question)) return question
  const rest = question.replaceAll(new RegExp(fileWords.source, 'giu'), ' ').replaceAll(requestWords, ' ')
  const words = rest.replaceAll(/\s+/g, ' ').trim()
  return /\p{L}{2}/u.test(words) ? words : question
}

/** Whether the question asks for a file, a sheet or a document, in English or Hebrew. */
export function asksForFile(question: string): boolean {
  return fileWords.test(question)
}

const sheetWords = /\b(source|study) sheets?\b|דף מקורות|דפי מקורות|דף לימוד/iu

/** Formats that people name, in both languages. */
const formatWords = {
  docx: /\b(word|docx)\b|וורד/iu,
  pdf: /\bpdf\b/iu,
  html: /\b(html|web page)\b/iu,
} as const

/** Whether it is a source sheet that the question asks for. */
export function asksForSheet(question: string): boolean {
  return sheetWords.test(question)
}

/**
 * What `make_source_sheet` is asked for: the places of the passages, under the subject of the question, in the formats that
 * it names; Markdown when it names none.
 */
export function sheetArguments(question: string, passages: readonly FoundPassage[]) {
  const named = Object.entries(formatWords).flatMap(([format, words]) =>
    words.test(question) ? [format] : [],
  )
  const subject = searchWords(question).slice(0, 150).toWellFormed()
  return {
    name: fileNameFor(question).replace(/\.md$/, ''),
    title: asksInHebrew(question) ? `מקורות: ${subject}` : `Sources: ${subject}`,
    items: [...new Set(passages.map(({ ref }) => ref))].map((ref) => ({ ref })),
    formats: named.length > 0 ? named : ['md'],
  }
}

/** Words that say nothing about the subject of a question. */
const plainWords = new Set(
  'and but the what who why how when where which does did was were are is put can could would should mean means that this it of be by from please tell explain מה מהו מהי מהן מהם מי איך למה מדוע האם של את הוא היא זה זאת'.split(
    ' ',
  ),
)

/** A file name from the subject of the question; Hebrew letters are kept. */
export function fileNameFor(question: string): string {
  const subject =
    searchWords(question)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = subject.filter(
    (word) => [...word].length > 1 && !plainWords.has(word) && !fileWords.test(word),
  )
  const stem = telling.slice(0, 6).join('-').slice(0, 60).toWellFormed()
  return `${stem === '' ? 'sources' : stem}.md`
}

const words = {
  en: {
    opening:
      'No language model is configured on this server. These passages of its library come nearest to the question, quoted as they stand:',
    openingWithFile:
      'No language model is configured on this server. These passages of the attached file and of its library come nearest to the question, quoted as they stand:',
    none: 'The library of this server has no passage that answers this. No language model is configured here, so nothing is said beyond the texts.',
    primary: 'Primary texts on this:',
    file: (name: string) => `The same passages were written to the file ${name}.`,
  },
  he: {
    opening: 'בשרת זה לא הוגדר מודל שפה. אלו הקטעים שבספרייה הקרובים ביותר לשאלה, כלשונם:',
    openingWithFile:
      'בשרת זה לא הוגדר מודל שפה. אלו הקטעים שבקובץ המצורף ובספרייה הקרובים ביותר לשאלה, כלשונם:',
    none: 'אין בספריית השרת קטע שמשיב על כך. לא הוגדר כאן מודל שפה, ולכן לא נאמר דבר מעבר לנוסח המקורות.',
    primary: 'מקורות ראשונים בעניין:',
    file: (name: string) => `הקטעים נכתבו גם לקובץ:\n${name}`,
  },
} as const

/** The passages of an attached file that share most words with the question; its beginning if none does. */
export function nearestOfFile(question: string, passages: readonly FoundPassage[]): readonly FoundPassage[] {
  const asked = new Set(bareWords(question).filter((word) => word.length > 2 && !plainWords.has(word)))
  const shared = (passage: FoundPassage) =>
    new Set(bareWords(passage.text).filter((word) => asked.has(word))).size
  const ranked = passages.map((passage) => ({ passage, score: shared(passage) }))
  const near = ranked.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  return (near.length > 0 ? near : ranked.slice(0, 1)).slice(0, 2).map(({ passage }) => passage)
}

function bareWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  )
}

/** The answer text with marks. No passages: a plain refusal. */
export function composeAnswer(
  question: string,
  passages: readonly FoundPassage[],
  {
    fileName,
    attached = false,
  }: { readonly fileName?: string | undefined; readonly attached?: boolean } = {},
): string {
  const say = asksInHebrew(question) ? words.he : words.en
  if (passages.length === 0) return say.none
  const blocks = passages.map(quoteBlock)
  const primary = primaryList(say.primary, passages)
  const opening = attached ? say.openingWithFile : say.opening
  return [opening, ...blocks, ...primary, ...(fileName ? [say.file(fileName)] : [])].join('\n\n')
}

/** Where to read on: each ref on a line of its own, as a place to look up and not as a quotation. */
function primaryList(heading: string, passages: readonly FoundPassage[]): readonly string[] {
  const refs = [...new Set(passages.flatMap((passage) => passage.pointsTo))]
  return refs.length === 0 ? [] : [[heading, ...refs.map((ref) => `- ${ref}`)].join('\n')]
}

/** The content of the produced file: the same quotations, with their refs and without marks. */
export function composeFile(question: string, passages: readonly FoundPassage[]): string {
  const blocks = passages.map((passage) => `## ${headingOf(passage)}\n\n${quoted(passage)}`)
  const say = asksInHebrew(question) ? words.he : words.en
  const title = `# ${question.trim().replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed()}`
  return `${[title, ...blocks, ...primaryList(say.primary, passages)].join('\n\n')}\n`
}

/** The ref on a line of its own, then the quotation as a block: readable also where two directions would mix. */
function quoteBlock(passage: FoundPassage): string {
  return `${headingOf(passage)}\n${quoted(passage)} ${passage.mark}`
}

function headingOf(passage: FoundPassage): string {
  return passage.language === 'he' && passage.heRef !== '' ? passage.heRef : passage.ref
}

function quoted(passage: FoundPassage): string {
  const [open, close] = passage.language === 'he' ? ['„', '”'] : ['“', '”']
  return `> ${open}${excerpt(passage.text).replaceAll(/\s*\n\s*/g, ' ')}${close}`
}

const excerptLength = 900

/** The beginning of a long passage, cut at the end of a sentence where there is one: always contiguous. */
function excerpt(text: string): string {
  const whole = text.trim()
  if (whole.length <= excerptLength) return whole
  const head = whole.slice(0, excerptLength)
  const end = Math.max(head.lastIndexOf('. '), head.lastIndexOf(': '), head.lastIndexOf('? '))
  return end > excerptLength / 3 ? head.slice(0, end + 1) : head.slice(0, head.lastIndexOf(' '))
}
