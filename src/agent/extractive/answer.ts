import { bareWord, excerptOf, type WholeLimit, wholeArticle, wholePassage } from './excerpt.ts'
import { asksInHebrew } from './requests/language.ts'
import { wording } from './wording.ts'

/**
 * Texts of the extractive provider: quoted passages of the library with marks, in the language of the question.
 */

/** A place where the reader can continue. */
export type PointedPlace = {
  readonly ref: string
  readonly heRef: string
  /** Empty while the library does not have the text. */
  readonly url: string
  /** Whether reading it fetches the text from its publisher. */
  readonly onRequest?: boolean
}

export type FoundPassage = {
  /** With brackets, as tools print it. */
  readonly mark: string
  readonly ref: string
  readonly heRef: string
  readonly language: string
  readonly text: string
  /** The part of a long text that matches the search best. */
  readonly bestPart?: string | undefined
  /** Places of the library to which the passage refers. */
  readonly pointsTo: readonly PointedPlace[]
}

/**
 * How well the passages match; the opening sentence depends on it. `named`: at a place that the question names.
 * `most`: contains most words of the question. `some`: contains fewer.
 */
export type Finding = 'named' | 'most' | 'some'

const fileWords =
  /\b(files?|sheets?|documents?|docs?|handouts?|markdown|save (it|this|that)|write (it|this|that) (up|down))\b|קובץ|קבצים|דף מקורות|דף לימוד|דפי מקורות|מסמך|גיליון|גליון|תיעוד/iu

/** Words that request a form of answer, in both languages. They are useless as search terms. */
const requestWords =
  /\b(please|write|put|it|make|create|prepare|save|give|word|docx|pdf|html|export|produce|me|us|a|an|the|as|into|to|in|for|on|with|about|and|source|study)\b|(?<![\u05d0-\u05ea])(אנא|בבקשה|כתוב|כתבי|הכן|הכיני|צור|צרי|שמור|תן|תני|לי|לנו|עם|על|בתוך)(?![\u05d0-\u05ea])/giu

/** The search query: the question without its request for a file. */
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

/** Words for file formats, in both languages. */
const formatWords = {
  docx: /\b(word|docx)\b|וורד/iu,
  pdf: /\bpdf\b/iu,
  html: /\b(html|web page)\b/iu,
} as const

/** Whether the question asks for a source sheet. */
export function asksForSheet(question: string): boolean {
  return sheetWords.test(question)
}

/**
 * Arguments for `make_source_sheet`: the refs of the passages, the subject as title, and the formats that the
 * question names (default: Markdown).
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

/** Words that say nothing about the subject. */
const plainWords = new Set(
  'and but the what who why how when where which does did was were are is put can could would should mean means that this it of be by from please tell explain מה מהו מהי מהן מהם מי איך למה מדוע האם של את הוא היא זה זאת'.split(
    ' ',
  ),
)

/** A file name made from the subject of the question. Hebrew letters are kept. */
export function fileNameFor(question: string): string {
  const subject =
    searchWords(question)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const contentWords = subject.filter(
    (word) => [...word].length > 1 && !plainWords.has(word) && !fileWords.test(word),
  )
  const stem = contentWords.slice(0, 6).join('-').slice(0, 60).toWellFormed()
  return `${stem === '' ? 'sources' : stem}.md`
}

/**
 * The passages of an attached file that share the most words with the question. If none shares a word, the
 * first passage.
 */
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

export type AnswerParts = {
  readonly finding: Finding
  readonly fileName?: string | undefined
  /** The first passages come from a file of the user. */
  readonly attached?: boolean
  /** Sentences about attached files that were not read. They precede everything. */
  readonly unread?: string | undefined
  /** A sentence about what the question names and the library does not have, or about its outage. It precedes the answer. */
  readonly missing?: string | undefined
  /** Primary texts to which the passages refer. */
  readonly texts?: readonly FoundPassage[]
  /** The question asks for a ruling. The answer refers to a rabbi, then quotes passages for study. */
  readonly ruling?: boolean
  /** The search was for the words of the question before this one, too. */
  readonly withEarlier?: boolean
  /** The question asks for a short answer: the best passage is cut like the others. */
  readonly isBrief?: boolean
}

/** Matches a question that asks only who somebody was, by name. */
const personAsked =
  /^\W*(?:who (?:was|is)|tell (?:me|us) about|what is known (?:about|of)) (?:the )?(?:r\.|rabbi|reb|rebbe|rav|rebbetzin)[ .]|^[^\p{L}]*(?:מי (?:היה|הוא|הייתה|היא)|ספרי? (?:לי |לנו )?על|מה ידוע על) (?:רבי|ר'|ר׳|הרב|הרבנית|האדמו"ר|האדמו״ר) /iu

/** Whether the question asks who somebody was, by name. An unknown name must not be answered with another person. */
export function asksForPerson(question: string): boolean {
  return personAsked.test(question)
}

/** The answer with marks. Without passages it is `missing`, or that nothing was found and whom to ask for a book. */
export function composeAnswer(
  question: string,
  passages: readonly FoundPassage[],
  {
    finding,
    fileName,
    attached = false,
    unread,
    missing,
    texts = [],
    ruling = false,
    withEarlier = false,
    isBrief = false,
  }: AnswerParts,
): string {
  const say = asksInHebrew(question) ? wording.he : wording.en
  const isNobody = finding === 'some' && asksForPerson(question)
  const found = isNobody ? 'nobody' : finding === 'most' && withEarlier ? 'mostOfBoth' : finding
  const refusal = ruling ? say.noRuling : undefined
  if (passages.length === 0) {
    const nothing = joined([refusal, missing]) || joined([say.none, say.missingBook])
    return joined([unread, nothing])
  }
  const opening = ruling ? say.study : `${say.start} ${attached ? say.attached : say[found]}`
  const blocks = passages.map((passage, i) =>
    quoteBlock(passage, question, i === 0 && finding !== 'some' && !isBrief),
  )
  // If the passages may be about something else, their links do not help either.
  const primary = finding === 'some' ? [] : primaryList(question, passages)
  const quoted =
    texts.length === 0 ? [] : [say.texts, ...texts.map((text) => quoteBlock(text, question, false))]
  return joined([
    unread,
    refusal,
    missing,
    opening,
    ...blocks,
    ...quoted,
    ...primary,
    fileName && say.file(fileName),
  ])
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part).join('\n\n')
}

/** Links to further places, one per line. */
function primaryList(question: string, passages: readonly FoundPassage[]): readonly string[] {
  const hebrew = asksInHebrew(question)
  const shown = new Set(passages.map(({ ref }) => ref))
  const places = new Map(passages.flatMap((passage) => passage.pointsTo.map((place) => [place.ref, place])))
  const links = [...places.values()]
    .filter(({ ref, url }) => url !== '' && !shown.has(ref))
    .sort((a, b) => a.ref.localeCompare(b.ref, 'en', { numeric: true }))
    .map(({ ref, heRef, url }) => `- [${hebrew && heRef !== '' ? heRef : ref}](${url})`)
  return links.length === 0 ? [] : [[(hebrew ? wording.he : wording.en).primary, ...links].join('\n')]
}

/** Content of the produced file: the same quotations with refs and without marks. */
export function composeFile(question: string, passages: readonly FoundPassage[]): string {
  const blocks = passages.map(
    (passage, i) =>
      `## ${headingOf(passage)}\n\n${quoted(passage, question, i === 0 ? wholeArticle : wholePassage)}`,
  )
  const title = `# ${question.trim().replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed()}`
  return `${[title, ...blocks, ...primaryList(question, passages)].join('\n\n')}\n`
}

/** The ref on its own line, then the quotation as a block. This stays readable when text directions mix. */
function quoteBlock(passage: FoundPassage, question: string, isBest: boolean): string {
  return `${headingOf(passage)}\n${quoted(passage, question, isBest ? wholeArticle : wholePassage)} ${passage.mark}`
}

function headingOf(passage: FoundPassage): string {
  return passage.language === 'he' && passage.heRef !== '' ? passage.heRef : passage.ref
}

function quoted({ language, text, bestPart }: FoundPassage, question: string, limit?: WholeLimit): string {
  const [open, close] = language === 'he' ? ['„', '”'] : ['“', '”']
  const asked = new Set(question.split(/\s+/).map(bareWord))
  const isAsked = (word: string) => word.length > 2 && asked.has(word) && !plainWords.has(word)
  return `> ${open}${excerptOf(text, bestPart, isAsked, limit)}${close}`
}
