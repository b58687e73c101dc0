import { importMarkdown, type MarkdownReport } from '../../sources/importers/import-markdown.ts'
import type { Command } from '../command.ts'
import { recorded } from '../library-audit.ts'
import { allowedLicenses, licenseOption } from './import-options.ts'
import { namingFile, readTextFile } from './text-file.ts'

export const markdownCommands: Readonly<Record<string, Command>> = {
  'sources import markdown': {
    usage:
      'FILE [--title T] [--he-title T] [--author A] [--category C] [--composed YEARS] [--license L] [--language he|en] [--version V] [--source-url U] [--allow-license cc-by-nc|unknown]...',
    summary: 'imports your own text: headings become parts of its refs, paragraphs become numbered passages',
    options: {
      ...licenseOption,
      title: { type: 'string' },
      'he-title': { type: 'string' },
      author: { type: 'string' },
      category: { type: 'string' },
      composed: { type: 'string' },
      license: { type: 'string' },
      language: { type: 'string' },
      version: { type: 'string' },
      'source-url': { type: 'string' },
    },
    words: [1, 1],
    run: async (invocation) => {
      const file = invocation.words[0] ?? ''
      const content = await readTextFile(file)
      const flags = {
        title: invocation.text('title'),
        he_title: invocation.text('he-title'),
        author: invocation.text('author'),
        category: invocation.text('category'),
        composed: invocation.text('composed'),
        license: invocation.text('license'),
        language: invocation.text('language'),
        version: invocation.text('version'),
        source_url: invocation.text('source-url'),
      }
      const allowed = allowedLicenses(invocation)
      const details = { command: 'sources import markdown', from: file }
      return recorded(invocation, { action: 'library.imported', details }, async () => {
        const rows = await namingFile(file, () =>
          importMarkdown(invocation.installation.library, content, flags, allowed),
        )
        return { rows, lines: reportLines(rows) }
      })
    },
  },
}

/** Maximum number of likely headings that are shown. */
const shown = 5

/** What the import made of the text, so that a reader sees whether headings and language were read as meant. */
function reportLines(report: MarkdownReport): readonly string[] {
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

function likelyLines({ likelyHeadings }: MarkdownReport): readonly string[] {
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
