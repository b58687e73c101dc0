import {
  directionOf,
  languagesOf,
  paragraphsOf,
  type Sheet,
  type SheetLanguage,
  type SheetSource,
  type UsedVersion,
  versionsOf,
} from './sheet.ts'
import {
  headingOf,
  licenseText,
  noteLabel,
  refsBelow,
  versionLine,
  versionName,
  versionTitle,
  type Words,
  wordsOf,
} from './words.ts'

/**
 * Renders a sheet as CommonMark. Right-to-left paragraphs are in a `div` with a direction, which Markdown cannot
 * express. Readers that remove HTML still show the text.
 */
export function sheetToMarkdown(sheet: Sheet): string {
  const words = wordsOf(sheet)
  const blocks = [
    `# ${line(sheet.title)}`,
    ...prose(sheet.intro),
    ...sheet.sources.flatMap((source, index) => sourceBlocks(source, index + 1, words)),
    '---',
    `## ${words.versions}`,
    ...directed(words.colophon, [
      versionsOf(sheet)
        .map((version) => versionItem(version, words))
        .join('\n'),
      line(words.colophon),
    ]),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function sourceBlocks(source: SheetSource, number: number, words: Words): readonly string[] {
  const { en, he } = refsBelow(source, words)
  const refs = [en, he].filter((ref) => ref !== '').map((ref) => `**${line(ref)}**`)
  return [
    `## ${number}. ${line(headingOf(source, words))}`,
    refs.join(' · '),
    ...languagesOf(source).flatMap((language) => textBlocks(source, language, words)),
    ...noteBlocks(source, words),
  ]
}

function versionItem(version: UsedVersion, words: Words): string {
  const name = inline(`${versionName(version, words)}: ${versionTitle(version, words)}`)
  const license = `${words.license}: ${inline(licenseText(version, words))}`
  return `- ${name}. ${license}.${link(version.url)} (${words.sources}: ${version.sources.join(', ')})`
}

/** All texts of one language, then all of the other, because Markdown has no columns. */
function textBlocks(source: SheetSource, language: SheetLanguage, words: Words): readonly string[] {
  const version = source.versions.find((one) => one.language === language)
  const texts = source.rows.flatMap(({ label, texts: { [language]: text } }) =>
    paragraphsOf(text).map((paragraph, i) => {
      const number = i === 0 && label[language] !== '' ? `<sup>${line(label[language])}</sup> ` : ''
      return `> ${number}${number === '' ? line(paragraph) : inline(paragraph)}`
    }),
  )
  const cited = version ? `*${inline(versionLine(version, words))}*${link(version.url)}` : ''
  const quoted = texts.join('\n>\n')
  return language === 'he' ? [`<div dir="rtl" lang="he">`, quoted, '</div>', cited] : [quoted, cited]
}

function noteBlocks({ note }: SheetSource, words: Words): readonly string[] {
  const [first, ...more] = paragraphsOf(note)
  if (first === undefined) return []
  return directed(note, [`**${noteLabel(note, words)}:** ${inline(first)}`, ...more.map(line)])
}

function prose(text: string): readonly string[] {
  return text === '' ? [] : directed(text, paragraphsOf(text).map(line))
}

function directed(text: string, blocks: readonly string[]): readonly string[] {
  return directionOf(text) === 'rtl' ? ['<div dir="rtl">', ...blocks, '</div>'] : blocks
}

function link(url: string): string {
  return url === '' ? '' : ` <${url.replaceAll('<', '%3C').replaceAll('>', '%3E')}>`
}

/** Escapes characters that begin a block at the start of a line: heading, list, rule. */
function line(text: string): string {
  return inline(text.replace(/\s+/g, ' '))
    .replace(/^([#+=-])/, '\\$1')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')
}

/** Escapes inline markup and HTML. */
function inline(text: string): string {
  return text
    .replace(/[\\`*_[\]~|]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
