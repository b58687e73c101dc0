import { excerptOf, wholeArticle, wholePassage } from './excerpt.ts'
import { languageOfAnswer } from './language.ts'
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

const sheetWords = /\b(?:source|study) sheets?\b|דף מקורות|דפי מקורות|דף לימוד/iu
const fileWords =
  /\b(?:file|document|handout|docx|pdf|html)s?\b|(?<![\u05d0-\u05ea])(?:קובץ|קבצים|מסמך|גיליון)(?![\u05d0-\u05ea])/iu

/** Words for the formats of a sheet, in both languages. */
const formatWords = { docx: /\b(?:word|docx)\b|וורד/iu, pdf: /\bpdf\b/iu, html: /\bhtml\b/iu } as const

/** Whether the question asks for a source sheet. */
export function asksForSheet(question: string): boolean {
  return sheetWords.test(question)
}

/** Whether the question asks for a file or a sheet, in English or Hebrew. */
export function asksForFile(question: string): boolean {
  return fileWords.test(question) || asksForSheet(question)
}

/**
 * Arguments for `make_source_sheet`: the refs of the passages, the best of them as title, and the formats that the
 * question names (default: Markdown).
 */
export function sheetArguments(question: string, passages: readonly FoundPassage[]) {
  const named = Object.entries(formatWords).flatMap(([format, words]) =>
    words.test(question) ? [format] : [],
  )
  const subject = passages[0] ? headingOf(passages[0]).slice(0, 150).toWellFormed() : ''
  return {
    name: fileNameFor(passages).replace(/\.md$/, ''),
    title: `${languageOfAnswer(question) === 'he' ? 'מקורות' : 'Sources'}: ${subject}`,
    items: [...new Set(passages.map(({ ref }) => ref))].map((ref) => ({ ref })),
    formats: named.length > 0 ? named : ['md'],
  }
}

/** A file name made from the ref of the best passage. Hebrew letters are kept. */
export function fileNameFor([best]: readonly FoundPassage[]): string {
  const words = best
    ? headingOf(best)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
    : null
  return `${(words ?? ['sources']).join('-').slice(0, 60).toWellFormed()}.md`
}

/**
 * The passages of an attached file that share the most words with the question. If none shares a word, the
 * first passage.
 */
export function nearestOfFile(question: string, passages: readonly FoundPassage[]): readonly FoundPassage[] {
  const asked = askedWords(question)
  const shared = ({ text }: FoundPassage) =>
    new Set(
      text
        .split(/\s+/)
        .map(bareWord)
        .filter((word) => asked.has(word)),
    ).size
  const ranked = passages.map((passage) => ({ passage, score: shared(passage) }))
  const near = ranked.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  return (near.length > 0 ? near : ranked.slice(0, 1)).slice(0, 2).map(({ passage }) => passage)
}

/** Shorter words say little about the subject: "is", "the", "מה", "של". */
const shortestSubject = 4
const shortestHebrew = 3

function askedWords(question: string): ReadonlySet<string> {
  const isLong = (word: string) =>
    word.length >= (/[\u05d0-\u05ea]/.test(word) ? shortestHebrew : shortestSubject)
  return new Set(question.split(/\s+/).map(bareWord).filter(isLong))
}

/** The letters of a word, in lower case, without vowel points, diacritics and punctuation. */
function bareWord(word: string): string {
  return (
    word
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  ).join('')
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
  /** The search was for the words of earlier questions, too. */
  readonly withEarlier?: boolean
}

/**
 * The answer with marks. Every answer says that it only quotes and rules on nothing. Without passages it is `missing`, or
 * that nothing was found and whom to ask for a book.
 */
export function composeAnswer(
  question: string,
  passages: readonly FoundPassage[],
  { finding, fileName, attached = false, unread, missing, texts = [], withEarlier = false }: AnswerParts,
): string {
  const say = wording[languageOfAnswer(question)]
  if (passages.length === 0)
    return joined([unread, missing ?? joined([say.none, say.missingBook]), say.start])
  const found = finding !== 'some' && withEarlier ? 'mostOfBoth' : finding
  const [best, ...others] = passages.map((passage, i) =>
    quoteBlock(passage, question, i === 0 && finding !== 'some'),
  )
  return joined([
    unread,
    missing,
    `${say.start} ${attached ? say.attached : say[found]}`,
    best,
    ...others,
    texts.length > 0 ? say.texts : undefined,
    ...texts.map((text) => quoteBlock(text, question, false)),
    // If the passages may be about something else, their links do not help either.
    ...(finding === 'some' ? [] : primaryList(question, passages)),
    fileName && say.file(fileName),
  ])
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part).join('\n\n')
}

/** Links to further places, one per line. */
function primaryList(question: string, passages: readonly FoundPassage[]): readonly string[] {
  const language = languageOfAnswer(question)
  const shown = new Set(passages.map(({ ref }) => ref))
  const places = new Map(passages.flatMap((passage) => passage.pointsTo.map((place) => [place.ref, place])))
  const links = [...places.values()]
    .filter(({ ref, url }) => url !== '' && !shown.has(ref))
    .sort((a, b) => a.ref.localeCompare(b.ref, 'en', { numeric: true }))
    .map(({ ref, heRef, url }) => `- [${language === 'he' && heRef !== '' ? heRef : ref}](${url})`)
  return links.length === 0 ? [] : [[wording[language].primary, ...links].join('\n')]
}

/** Content of the produced file: the same quotations with refs and without marks. */
export function composeFile(question: string, passages: readonly FoundPassage[]): string {
  const blocks = passages.map(
    (passage, i) => `## ${headingOf(passage)}\n\n${quoted(passage, question, i === 0)}`,
  )
  const title = `# ${question.trim().replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed()}`
  return `${[title, ...blocks, ...primaryList(question, passages)].join('\n\n')}\n`
}

/** The ref on its own line, then the quotation as a block. This stays readable when text directions mix. */
function quoteBlock(passage: FoundPassage, question: string, isBest: boolean): string {
  return `${headingOf(passage)}\n${quoted(passage, question, isBest)} ${passage.mark}`
}

function headingOf(passage: FoundPassage): string {
  return passage.language === 'he' && passage.heRef !== '' ? passage.heRef : passage.ref
}

function quoted({ language, text, bestPart }: FoundPassage, question: string, isBest: boolean): string {
  const [open, close] = language === 'he' ? ['„', '”'] : ['“', '”']
  const asked = askedWords(question)
  const isAsked = (word: string) => asked.has(bareWord(word))
  return `> ${open}${excerptOf(text, bestPart, isAsked, isBest ? wholeArticle : wholePassage)}${close}`
}
