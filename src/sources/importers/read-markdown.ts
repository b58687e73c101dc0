import { ServiceError } from '../../errors.ts'
import { isWebAddress } from '../library/source-url.ts'
import type { WorkImport } from '../library/writing/library.ts'
import { parseYears, type Years, yearsRule } from '../periods/composed.ts'
import { readFrontMatter, type TextFacts } from './front-matter.ts'
import { type LikelyHeading, likelyHeadings } from './likely-headings.ts'
import { type NotedBlock, notedBlocks, type Paragraph, paragraphsOf } from './markdown-passages.ts'

/** A text with its properties, ready to be stored. */
export type OwnText = {
  readonly work: WorkImport['work']
  /** Lines that look like headings and are paragraphs. */
  readonly likelyHeadings: readonly LikelyHeading[]
  readonly paragraphs: readonly Paragraph[]
  readonly language: string
  readonly version: string
  readonly license: string
  readonly sourceUrl: string
}

/** @throws ServiceError `invalid_value` when the text has no title or no paragraph, or a property has no meaning. */
export function readMarkdown(content: string, flags: TextFacts): OwnText {
  const clean = content
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '')
    .toWellFormed()
  const { facts: written, body } = readFrontMatter(clean)
  if (/^\s*<(?:\?xml|TEI|teiCorpus|!DOCTYPE(?! html))/i.test(body)) {
    throw new ServiceError(
      'invalid_value',
      'The text is XML, not Markdown. Import TEI with `sources import tei`; convert other XML first.',
    )
  }
  const linesBefore = clean.slice(0, clean.length - body.length).split('\n').length - 1
  const facts: TextFacts = { ...written, ...definedOf(flags) }
  return { ...ownText(facts, notedBlocks(body)), likelyHeadings: likelyHeadings(body, linesBefore) }
}

/**
 * A text of headings and paragraphs with its properties.
 * @throws ServiceError `invalid_value` when it has no title or no paragraph, or a property has no meaning.
 */
export function ownText(facts: TextFacts, blocks: Iterable<NotedBlock>): OwnText {
  const work = workOf(facts)
  const paragraphs = paragraphsOf(work.title, work.heTitle, blocks)
  if (paragraphs.length === 0)
    throw new ServiceError('invalid_value', 'The text has no paragraphs. Check that the file is not empty.')
  const language = languageCode(facts.language) ?? languageOf(paragraphs)
  const version = facts.version || (versionNames[language] ?? 'Text')
  const sourceUrl = webAddress(facts.source_url ?? '')
  return {
    work,
    likelyHeadings: [],
    paragraphs,
    language,
    version,
    license: facts.license || 'own',
    sourceUrl,
  }
}

const versionNames: Readonly<Record<string, string>> = { he: 'Hebrew text', en: 'English text' }

function workOf(facts: TextFacts): WorkImport['work'] {
  const title = facts.title?.trim() ?? ''
  if (title === '') {
    throw new ServiceError(
      'invalid_value',
      'The text has no title. Write `title:` in its front matter (TEI: `title` in its header), or use --title.',
    )
  }
  return {
    title,
    heTitle: facts.he_title || (isHebrew(title) ? title : ''),
    author: facts.author ?? '',
    composed: yearsIn(facts.composed),
    categories: (facts.category ?? '').split(/\s*[,>/]\s*/).filter((category) => category !== ''),
  }
}

function webAddress(url: string): string {
  if (url === '' || isWebAddress(url)) return url
  throw new ServiceError(
    'invalid_value',
    `"source_url" is "${url}": it must be a URL that starts with http:// or https://, without spaces.`,
  )
}

/** @throws ServiceError `invalid_value` when it is not a language code. */
function languageCode(written: string | undefined): string | undefined {
  if (written === undefined || written.trim() === '') return undefined
  const name = written.trim().toLowerCase()
  const code = name === 'hebrew' ? 'he' : name === 'english' ? 'en' : name
  if (/^[a-z]{2,3}$/.test(code)) return code
  throw new ServiceError('invalid_value', `"${written}" is not a language code. Use one such as he or en.`)
}

/** @throws ServiceError `invalid_value` when the value is neither a year nor the first and last year. */
function yearsIn(written: string | undefined): Years | undefined {
  if (written === undefined || written.trim() === '') return undefined
  const years = parseYears(written)
  if (years) return years
  throw new ServiceError('invalid_value', `"composed" is "${written}": it ${yearsRule}.`)
}

/** Guesses the language from the script: Hebrew or English. */
function languageOf(paragraphs: readonly Paragraph[]): string {
  const sample = paragraphs
    .slice(0, 50)
    .map(({ text }) => text)
    .join(' ')
  return isHebrew(sample) ? 'he' : 'en'
}

function isHebrew(text: string): boolean {
  const hebrew = text.match(/[\u05d0-\u05ea]/g)?.length ?? 0
  return hebrew * 2 > (text.match(/\p{L}/gu)?.length ?? 0)
}

/** The properties that are given. */
export function definedOf(flags: TextFacts): TextFacts {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}
