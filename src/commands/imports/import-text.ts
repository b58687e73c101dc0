import { importText, type TextReport } from '../../sources/importers/import-text.ts'
import { readMarkdown } from '../../sources/importers/read-markdown.ts'
import { readTei } from '../../sources/importers/read-tei.ts'
import type { Command } from '../command.ts'
import { recorded } from '../library-audit.ts'
import { allowedLicenses } from './import-options.ts'
import { namingFile, readTextFile } from './text-file.ts'

const properties = [
  'title',
  'he-title',
  'author',
  'category',
  'composed',
  'license',
  'language',
  'version',
  'source-url',
] as const

/** The command that imports texts of one format. */
function importOf(format: string, summary: string, read: typeof readMarkdown): Command {
  return {
    usage:
      'FILE [--title T] [--he-title T] [--author A] [--category C] [--composed YEARS] [--license L] [--language he|en] [--version V] [--source-url U] [--allow-license cc-by-nc|unknown]... [--replace]',
    summary,
    run: async (invocation) => {
      const file = invocation.words[0] ?? ''
      const content = await readTextFile(file)
      const flags = Object.fromEntries(
        properties.map((name) => [name.replace('-', '_'), invocation.text(name)]),
      )
      const options = { allowLicenses: allowedLicenses(invocation), replace: invocation.flag('replace') }
      const details = { command: `sources import ${format}`, from: file }
      return recorded(invocation, { action: 'library.imported', details }, async () => {
        const rows = await namingFile(file, async () =>
          importText(invocation.installation.library, read(content, flags), options),
        )
        return { rows, lines: reportLines(rows) }
      })
    },
  }
}

export const textCommands: Readonly<Record<string, Command>> = {
  'sources import markdown': importOf(
    'markdown',
    'imports your own text: headings become parts of its refs, paragraphs become numbered passages',
    readMarkdown,
  ),
  'sources import tei': importOf(
    'tei',
    'imports a text in TEI: heads of its divs become parts of its refs, paragraphs and lines become numbered passages',
    readTei,
  ),
}

/** Maximum number of likely headings that are shown. */
const shown = 5

/** What the import made of the text, so that a reader sees whether headings and language were read as meant. */
function reportLines(report: TextReport): readonly string[] {
  const { work, segments, unchanged, language, version, license, headings, first, last } = report
  const state = unchanged > 0 ? 'unchanged' : `${count(segments, 'passage')} imported`
  const parts = [
    count(headings, 'heading'),
    ...(report.cut > 0 ? [`${count(report.cut, 'long paragraph')} cut into pieces`] : []),
    ...(report.notes > 0 ? [count(report.notes, 'footnote')] : []),
  ]
  return [
    `${work}: ${state}`,
    `  version "${version}", language ${language}, licence ${license}`,
    `  ${parts.join(', ')}; from "${first}" to "${last}"`,
    ...likelyLines(report),
  ]
}

function likelyLines({ likelyHeadings }: TextReport): readonly string[] {
  if (likelyHeadings.length === 0) return []
  const more = likelyHeadings.length - shown
  return [
    `  ${count(likelyHeadings.length, 'paragraph')} may be meant as headings. Write "# " before a heading and import again:`,
    ...likelyHeadings.slice(0, shown).map(({ line, text }) => `    line ${line}: ${text}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
