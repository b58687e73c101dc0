import { type Database, withImportTx } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { createIndexWriter } from '../index/index-writer.ts'
import type { PassageRef } from '../index/passage-ref.ts'
import { licenseRefusal, mayImport, type RestrictedLicense } from '../library/licenses.ts'
import { isWebAddress } from '../library/source-url.ts'
import { lockLibrary, storeWork } from '../library/writing/library.ts'
import { parseYears, type Years, yearsRule } from '../periods/composed.ts'
import { hebrewNumeral } from '../text/hebrew-numbers.ts'
import { type MarkdownFacts, readFrontMatter } from './front-matter.ts'
import { markdownBlocks } from './markdown-blocks.ts'

export type MarkdownReport = {
  readonly work: string
  readonly works: number
  readonly versions: number
  readonly segments: number
  readonly unchanged: number
}

/**
 * Imports a Markdown text. Headings become parts of the refs; the paragraphs below each heading are numbered from 1:
 * `My Notes, On Joy, First Part 3`. A second import replaces the version if its text has changed.
 * @throws ServiceError `invalid_value` when the text has no title, no paragraph, or a licence that is not allowed.
 */
export async function importMarkdown(
  database: Database,
  content: string,
  flags: MarkdownFacts,
  allowLicenses: readonly RestrictedLicense[],
): Promise<MarkdownReport> {
  const { facts: written, body } = readFrontMatter(
    content
      .replace(/^\ufeff/, '')
      .replaceAll('\0', '')
      .toWellFormed(),
  )
  const facts: MarkdownFacts = { ...written, ...definedOf(flags) }
  const title = facts.title?.trim() ?? ''
  if (title === '') {
    throw new ServiceError(
      'invalid_value',
      'The text has no title. Write `title:` in its front matter, or use --title.',
    )
  }
  const license = facts.license || 'own'
  if (!mayImport(license, allowLicenses)) {
    throw new ServiceError('invalid_value', `Nothing was imported: ${licenseRefusal(license)}.`)
  }
  const sourceUrl = facts.source_url ?? ''
  if (sourceUrl !== '' && !isWebAddress(sourceUrl)) {
    throw new ServiceError(
      'invalid_value',
      `"source_url" is "${sourceUrl}": it must be a URL that starts with http:// or https://, without spaces.`,
    )
  }
  const composed = yearsIn(facts.composed)
  const passages = passagesOf(title, facts.he_title ?? '', body)
  if (passages.length === 0)
    throw new ServiceError('invalid_value', 'The text has no paragraphs. Check that the file is not empty.')
  const language = languageCode(facts.language) ?? languageOf(passages)
  const stored = await withImportTx(database, async (tx) => {
    await lockLibrary(tx)
    const index = createIndexWriter()
    const written = await storeWork(tx, {
      work: {
        title,
        heTitle: facts.he_title ?? '',
        author: facts.author ?? '',
        composed,
        categories: (facts.category ?? '').split(/\s*[,>/]\s*/).filter((category) => category !== ''),
      },
      places: passages.map(({ place }) => place),
      versions: [
        {
          language,
          title:
            facts.version ||
            (language === 'he' ? 'Hebrew text' : language === 'en' ? 'English text' : 'Text'),
          license,
          sourceUrl,
          machineMade: false,
          texts: new Map(passages.map(({ place, text }) => [place.ref, text])),
        },
      ],
    })
    index.add(written.parts)
    await index.flush(tx)
    return written
  })
  const isNew = stored.versions > 0
  return {
    work: title,
    works: isNew ? 1 : 0,
    versions: stored.versions,
    segments: stored.passages,
    unchanged: isNew ? 0 : 1,
  }
}

type NumberedParagraph = { readonly place: PassageRef; readonly text: string }

/** Returns the paragraphs, numbered below their headings. A heading equal to the title adds no part. */
function passagesOf(title: string, heTitle: string, body: string): readonly NumberedParagraph[] {
  const passages: NumberedParagraph[] = []
  const numbers = new Map<string, number>()
  let headings: readonly string[] = []
  for (const block of markdownBlocks(body)) {
    if (block.level > 0) {
      headings = [...headings.slice(0, block.level - 1), ...padding(headings, block.level), block.text]
      continue
    }
    const nodes = headings.filter((heading) => heading !== '' && heading !== title && heading !== heTitle)
    const sectionRef = [title, ...nodes].join(', ')
    const number = (numbers.get(sectionRef) ?? 0) + 1
    numbers.set(sectionRef, number)
    const heRef = heTitle === '' ? '' : `${[heTitle, ...nodes].join(', ')} ${hebrewNumeral(number)}`
    passages.push({ place: { ref: `${sectionRef} ${number}`, heRef, sectionRef }, text: block.text })
  }
  return passages
}

/** Fills skipped heading levels with empty parts. */
function padding(headings: readonly string[], level: number): readonly string[] {
  return Array.from({ length: Math.max(0, level - 1 - headings.length) }, () => '')
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
function languageOf(passages: readonly NumberedParagraph[]): string {
  const sample = passages
    .slice(0, 50)
    .map(({ text }) => text)
    .join(' ')
  const hebrew = sample.match(/[\u05d0-\u05ea]/g)?.length ?? 0
  return hebrew * 2 > (sample.match(/\p{L}/gu)?.length ?? 0) ? 'he' : 'en'
}

function definedOf(flags: MarkdownFacts): MarkdownFacts {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}
