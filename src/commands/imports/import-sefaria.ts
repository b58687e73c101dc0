import { invalidValue, ServiceError } from '../../errors.ts'
import { firstAnswer, requireNoCredentials } from '../../sources/collections/export-place.ts'
import { publicApiUrl, SefariaApi } from '../../sources/importers/sefaria/api.ts'
import { openBucket, publicBooksUrl } from '../../sources/importers/sefaria/bucket.ts'
import type { ExportSource } from '../../sources/importers/sefaria/export-source.ts'
import { openFolder } from '../../sources/importers/sefaria/folder.ts'
import { importFromApi } from '../../sources/importers/sefaria/import-api.ts'
import { importExport } from '../../sources/importers/sefaria/import-export.ts'
import type { Arguments, Command, Invocation } from '../command.ts'
import { recorded, withoutSecrets } from '../library-audit.ts'
import { allowedLicenses, reported } from './import-options.ts'
import { withProgressBar } from './import-progress.ts'

export const sefariaCommands: Readonly<Record<string, Command>> = {
  'sources import sefaria-export': {
    usage:
      '[PATH | BOOKS_JSON_URL] [--title T]... [--category C]... [--links] [--allow-license cc-by-nc|unknown]...',
    summary:
      "imports works from Sefaria's export: a folder or a list of books; default: Sefaria's public list",
    check: async (given) => {
      allowedLicenses(given)
      const address = listAddress(given)
      if (address !== undefined) await requireAnswer(address, 'sources import sefaria-export FOLDER')
    },
    run: async (invocation) => {
      const selection = { titles: invocation.list('title'), categories: invocation.list('category') }
      const allowLicenses = allowedLicenses(invocation)
      const source = await openSource(invocation)
      const details = {
        command: 'sources import sefaria-export',
        from: withoutSecrets(invocation.words[0] ?? publicBooksUrl),
        titles: shortList(selection.titles),
        categories: shortList(selection.categories),
      }
      const links = invocation.flag('links')
      return recorded(invocation, { action: 'library.imported', details }, () =>
        reported((signal) =>
          withProgressBar(invocation, (onProgress) =>
            importExport(invocation.installation.library, source, {
              ...selection,
              allowLicenses,
              links,
              onProgress,
              signal,
            }),
          ),
        ),
      )
    },
  },
  'sources import sefaria': {
    usage: 'TITLE... [--base-url URL] [--allow-license cc-by-nc|unknown]...',
    summary: "imports single works, or parts of works, from Sefaria's public API",
    check: async (given) => {
      allowedLicenses(given)
      await requireAnswer(apiAddress(given), 'sources import sefaria-export FOLDER --title TITLE')
    },
    run: async (invocation) => {
      const allowLicenses = allowedLicenses(invocation)
      const baseUrl = apiAddress(invocation)
      const api = new SefariaApi(baseUrl)
      const titles = invocation.words
      const details = {
        command: 'sources import sefaria',
        from: withoutSecrets(baseUrl),
        titles: shortList(titles),
      }
      return recorded(invocation, { action: 'library.imported', details }, () =>
        reported((signal) =>
          withProgressBar(invocation, (onProgress) =>
            importFromApi(invocation.installation.library, api, {
              titles,
              allowLicenses,
              onProgress,
              signal,
            }),
          ),
        ),
      )
    },
  },
}

const maxListed = 10

/** Null without a choice. */
function shortList(titles: readonly string[]): string | null {
  if (titles.length === 0) return null
  const listed = titles.slice(0, maxListed).join('; ')
  return titles.length > maxListed ? `${listed} and ${titles.length - maxListed} more` : listed
}

/** @throws ServiceError `invalid_value` for an address that is none. */
function apiAddress({ text }: Arguments): string {
  const baseUrl = text('base-url') ?? publicApiUrl
  if (/^https?:\/\/[^/]/i.test(baseUrl)) {
    requireNoCredentials(baseUrl)
    return baseUrl
  }
  throw invalidValue('--base-url takes an address that begins with http:// or https://.')
}

/**
 * The address of the list of books; undefined for a folder.
 * @throws ServiceError `invalid_value` when nothing is chosen from the public export.
 */
function listAddress({ words, list }: Arguments): string | undefined {
  const [place] = words
  if (place === undefined && list('title').length + list('category').length === 0) {
    throw invalidValue('The public export has about 20,000 files. Choose works with --title or --category.')
  }
  if (place === undefined) return publicBooksUrl
  if (!/^https?:\/\//i.test(place)) return undefined
  requireNoCredentials(place)
  return place
}

/** @throws ServiceError `upstream_error` with the command that needs no network, when there is no answer in 3.5 s. */
async function requireAnswer(address: string, offline: string): Promise<void> {
  const answer = await firstAnswer(address)
  if (answer.status !== undefined) return
  throw new ServiceError(
    'upstream_error',
    `${address} could not be reached: ${answer.reason}.
Without a network, import from a folder with Sefaria's export: ${offline}`,
  )
}

async function openSource(given: Invocation): Promise<ExportSource> {
  const address = listAddress(given)
  return address === undefined ? openFolder(given.words[0] ?? '') : openBucket(address)
}
