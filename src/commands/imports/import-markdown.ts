import { readFile } from 'node:fs/promises'
import { ServiceError } from '../../errors.ts'
import { importMarkdown } from '../../sources/importers/import-markdown.ts'
import type { Command } from '../command.ts'
import { recorded } from '../library-audit.ts'
import { allowedLicenses, licenseOption } from './import-options.ts'

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
      const content = await readFile(file, 'utf8').catch(() => {
        throw new ServiceError(
          'invalid_value',
          `The file ${file} cannot be read. Check its path and permissions.`,
        )
      })
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
        const rows = await importMarkdown(invocation.installation.library, content, flags, allowed)
        const summary = `${rows.work}: ${rows.versions} versions, ${rows.segments} segments`
        return { rows, lines: [rows.unchanged > 0 ? `${summary} (unchanged)` : summary] }
      })
    },
  },
}
