import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { download, downloadJson, headAt, userAgent } from './download.ts'
import { type ExportEntry, type ExportSource, isLinksFile, schemaPath } from './export-source.ts'

/** URL of the list of the public export's files. Sefaria regenerates it every month. */
export const publicBooksUrl = 'https://raw.githubusercontent.com/Sefaria/Sefaria-Export/HEAD/books.json'

const bookShape = z.object({
  title: z.string(),
  language: z.string().catch(''),
  versionTitle: z.string().catch(''),
  categories: z.array(z.string()).catch([]),
  json_url: z.string().nullish().catch(null),
})

const specialShape = z.object({ path: z.string(), url: z.string() })

/** A row without its title or address is left out: one faulty row must not stop the import of thousands of files. */
const booksShape = z.object({
  base_url: z.string().catch(''),
  books: rowsOf(bookShape),
  special_files: rowsOf(specialShape).catch([]),
})

/** A list of rows, without those that do not have the shape. */
function rowsOf<T extends z.ZodType>(shape: T) {
  return z.array(z.unknown()).transform((rows) =>
    rows.flatMap((row) => {
      const read = shape.safeParse(row)
      return read.success ? [read.data] : []
    }),
  )
}

export type BucketOptions = {
  readonly baseMs?: number | undefined
  readonly timeoutMs?: number | undefined
  /** Base URL of a mirror that has the same paths as the bucket. */
  readonly mirror?: string | undefined
}

/**
 * Opens the public export that `books.json` lists.
 * @throws ServiceError `upstream_error` or `invalid_value` when the list cannot be read.
 */
export async function openBucket(booksUrl: string, options: BucketOptions = {}): Promise<ExportSource> {
  const waits = definedOf(options)
  const parsed = booksShape.safeParse(await downloadJson(booksUrl, waits))
  if (!parsed.success) {
    throw new ServiceError(
      'invalid_value',
      `${booksUrl} is not a books.json of the Sefaria export. Name the address of a mirror that has one.`,
    )
  }
  const { books, special_files, base_url } = parsed.data
  const locate = (url: string) => encodeUrl(mirrored(url, base_url, options.mirror), booksUrl)
  const versions = books.filter((book) => book.versionTitle !== 'merged')
  const special = new Map(special_files.map((file) => [file.path.replace(/^\//, ''), locate(file.url)]))
  return {
    entries: versions.flatMap((book): ExportEntry[] => {
      if (!book.json_url) return []
      const name = `${book.title}/${book.language}/${book.versionTitle || book.json_url.split('/').at(-1)}`
      const location = locate(book.json_url)
      return [{ id: name, title: book.title, categories: book.categories, name, location }]
    }),
    merged: books.length - versions.length,
    read: (entry, etag) => download(entry.location, { ...waits, etag }),
    head: (entry, signal) => headAt(entry.location, signal),
    schema: async (title) => {
      const url = special.get(schemaPath(title))
      return url === undefined ? undefined : (await download(url, waits))?.body.toString('utf8')
    },
    links: () =>
      [...special]
        .filter(([path]) => isLinksFile(path))
        .map(
          ([, url]) =>
            () =>
              linesAt(url),
        ),
  }
}

/** Link files are large, so they are read as a stream of lines. */
async function linesAt(url: string): Promise<AsyncIterable<string>> {
  const response = await fetch(url, { headers: { 'user-agent': userAgent } }).catch(() => undefined)
  if (!response?.ok || !response.body) {
    const fault = response ? `the server answered ${response.status}` : 'no answer'
    throw new ServiceError('upstream_error', `${url} could not be read: ${fault}.`)
  }
  return createInterface({ input: Readable.fromWeb(response.body), crlfDelay: Number.POSITIVE_INFINITY })
}

/** The address of a file at the mirror, which has it at the same path. */
function mirrored(url: string, base: string, mirror: string | undefined): string {
  if (mirror === undefined || url.startsWith(mirror)) return url
  const path =
    base !== '' && url.startsWith(base)
      ? url.slice(base.length)
      : url.replace(/^https?:\/\/.*?\/(?=(?:json|schemas|links)\/)/, '')
  return `${mirror.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}

/** Encodes a URL of the list, which contains paths with spaces, commas and number signs. */
function encodeUrl(url: string, base: string): string {
  if (/%[0-9a-f]{2}/i.test(url) && !url.includes(' ')) return new URL(url, base).href
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)?(.*)$/i.exec(url) ?? []
  return new URL(origin + path.split('/').map(encodeURIComponent).join('/'), base).href
}

function definedOf({ baseMs, timeoutMs }: BucketOptions): { baseMs?: number; timeoutMs?: number } {
  return { ...(baseMs === undefined ? {} : { baseMs }), ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}
