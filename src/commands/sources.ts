import { withTx } from '../db/client.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { openEmbeddingModel } from '../models/embedding.ts'
import { importJsonl } from '../sources/importers/import-jsonl.ts'
import { listWorks } from '../sources/library/passages.ts'
import { checkLibrary } from '../sources/library/writing/check.ts'
import { lockLibrary, removeVersion, removeWork } from '../sources/library/writing/library.ts'
import { explanationLines } from '../sources/search/explain.ts'
import { searchSources } from '../sources/search/search.ts'
import { openSemanticSearch } from '../sources/search/semantic/semantic-search.ts'
import type { Command } from './command.ts'
import { embedCommands } from './embed-sources.ts'
import { collectionCommands } from './imports/add-collection.ts'
import { allowedLicenses, exitCodeOf } from './imports/import-options.ts'
import { sefariaCommands } from './imports/import-sefaria.ts'
import { textCommands } from './imports/import-text.ts'
import { linesOfFile, namingFile } from './imports/text-file.ts'
import { recorded, recordLibraryAction } from './library-audit.ts'
import { countOption, readPage } from './printing/list-pages.ts'

export const sourceCommands: Readonly<Record<string, Command>> = {
  ...collectionCommands,
  'sources import jsonl': {
    usage: 'FILE [--allow-license cc-by-nc|unknown]... [--replace]',
    summary: 'imports texts, one JSON object per line; a repeated import changes only what differs',
    run: async (invocation) => {
      const file = invocation.words[0] ?? ''
      const allowLicenses = allowedLicenses(invocation)
      const details = { command: 'sources import jsonl', from: file }
      return recorded(invocation, { action: 'library.imported', details }, async () => {
        const rows = await namingFile(file, () =>
          importJsonl(invocation.installation.library, linesOfFile(file), {
            allowLicenses,
            replace: invocation.flag('replace'),
            onProgress: (done) => invocation.progress(`${done} lines`),
          }),
        )
        const skipped = rows.skipped.map(({ why, count }) => `  skipped ${count}: ${why}`)
        const summary = `${rows.works} works, ${rows.versions} versions, ${rows.passages} passages`
        return { rows, lines: [summary, ...skipped], exitCode: exitCodeOf(rows) }
      })
    },
  },
  ...textCommands,
  ...sefariaCommands,
  'sources check': {
    usage: '[--sample N]',
    summary: 'checks that the library and its index are complete; otherwise exits with 1 and prints the rows',
    run: async (invocation) => {
      const sample = countOption(invocation, 'sample', 1_000, 1_000_000_000)
      const rows = await checkLibrary(invocation.installation.library.system, sample)
      const summary =
        `${rows.works} works, ${rows.versions} versions, ${rows.passages} passages, ${rows.texts} texts, ` +
        `${rows.links} links; ${rows.compared} texts compared with the index`
      const lines = rows.faults.flatMap(({ rule, rows: broken }) => [
        `BROKEN: ${rule}`,
        ...broken.map((row) => `    ${JSON.stringify(row)}`),
      ])
      const verdict = rows.faults.length === 0 ? ['The library is whole.'] : lines
      return { rows, lines: [summary, ...verdict], exitCode: rows.faults.length === 0 ? 0 : 1 }
    },
  },
  ...embedCommands,
  'sources list': {
    usage: '[--limit N] [--after TITLE]',
    summary: 'lists the works of the library by title; --after takes the last title of the previous page',
    run: async (invocation) => {
      const { system } = invocation.installation.library
      const rows = await readPage(
        invocation,
        (page) => listWorks(system, page),
        ({ title }) => title,
      )
      return {
        rows,
        lines: rows.map((work) => `${work.title}  (${work.passages} passages, ${work.languages.join(', ')})`),
      }
    },
  },
  'sources search': {
    usage: '"WORDS" [--limit N] [--explain]',
    summary: 'searches the library as the agent does',
    run: async (invocation) => {
      const { installation, words, flag, config, log, progress } = invocation
      const limit = countOption(invocation, 'limit', 10, 100)
      const model = openEmbeddingModel(config, progress)
      const semantic = openSemanticSearch(installation.library, model, log)
      const query = { text: words[0] ?? '', limit, explain: flag('explain') }
      const rows = await searchSources(installation.library.system, query, semantic).finally(() =>
        semantic?.close(),
      )
      return {
        rows,
        lines: rows.flatMap((hit) => [
          `${hit.ref}  [${hit.language}, ${hit.license}]`,
          `    ${hit.snippet}`,
          ...(hit.explanation ? explanationLines(hit.explanation).map((line) => `    ${line}`) : []),
        ]),
      }
    },
  },
  'sources remove': {
    usage: 'WORK [--version V] [--language L]',
    summary: 'removes a work with all its versions, or one version',
    run: async ({ installation, words, text }) => {
      const title = words[0] ?? ''
      const [version, language] = [text('version'), text('language')]
      if (version === undefined && language !== undefined)
        throw invalidValue('--language needs --version, which names what to remove.')
      const removed = await withTx(installation.library, 'system', async (tx) => {
        await lockLibrary(tx)
        const found =
          version === undefined
            ? await removeWork(tx, title)
            : (await removeVersion(tx, title, { title: version, language })) > 0
        if (!found) return false
        const details = {
          command: 'sources remove',
          work: title,
          outcome: 'done',
          ...(version && { version }),
        }
        // Committed first, so that no removal goes without an entry.
        await withTx(installation.database, 'system', (main) =>
          recordLibraryAction(main, { action: 'library.work_removed', details }),
        )
        return true
      })
      const name = version === undefined ? `"${title}"` : `"${title}" with the version "${version}"`
      if (!removed)
        throw new ServiceError(
          'not_found',
          `The library has no work ${name}. The command \`sources list\` shows all works.`,
        )
      const rows = version === undefined ? { removed: title } : { removed: title, version }
      return { rows, lines: [`Removed: ${version === undefined ? title : `${title}, ${version}`}`] }
    },
  },
}
