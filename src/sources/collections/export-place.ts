import { stat } from 'node:fs/promises'
import { messageOf, ServiceError } from '../../errors.ts'
import { openBucket, publicBooksUrl } from '../importers/sefaria/bucket.ts'
import { userAgent } from '../importers/sefaria/download.ts'
import type { ExportSource } from '../importers/sefaria/export-source.ts'
import { openFolder } from '../importers/sefaria/folder.ts'

/** Where an export is: a folder, or a list of books with the base URL of a mirror. */
export type ExportPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'web'; readonly booksUrl: string; readonly mirror: string | undefined }

/** The public export unless a folder or the URL of a mirror is given. */
export function exportPlace(given: string | undefined): ExportPlace {
  if (given === undefined) return { kind: 'web', booksUrl: publicBooksUrl, mirror: undefined }
  if (!/^https?:\/\//i.test(given)) return { kind: 'folder', path: given }
  requireNoCredentials(given)
  const mirror = given.replace(/\/[^/]*\.json$/i, '').replace(/\/+$/, '')
  return { kind: 'web', booksUrl: /\.json$/i.test(given) ? given : `${mirror}/books.json`, mirror }
}

/** @throws ServiceError `invalid_value` for an address with a user or a password, with which no request can be made. */
export function requireNoCredentials(address: string): void {
  if (!URL.canParse(address)) return
  const { username, password } = new URL(address)
  if (username === '' && password === '') return
  throw new ServiceError(
    'invalid_value',
    'An address with a user or a password is not supported. Use a mirror that needs none, or a folder.',
  )
}

/** How people read the place. */
export function placeName(place: ExportPlace): string {
  return place.kind === 'folder' ? place.path : place.booksUrl
}

const reachMs = 3_500

/**
 * Checks within 3.5 s that the place answers.
 * @throws ServiceError `upstream_error` or `invalid_value` with the remedy.
 */
export async function reachExport(place: ExportPlace, signal?: AbortSignal): Promise<void> {
  if (place.kind === 'folder') {
    const found = await stat(place.path).catch(() => undefined)
    if (found?.isDirectory()) return
    throw new ServiceError(
      'invalid_value',
      `There is no folder ${place.path}. Name a folder with Sefaria's export, or a mirror with --base-url.`,
    )
  }
  const answer = await firstAnswer(place.booksUrl, signal)
  if (answer.status === undefined) throw unreachable(place.booksUrl, answer.reason)
  if (answer.status >= 400) throw unreachable(place.booksUrl, `the server answered ${answer.status}`)
}

/** Opens the export. @throws ServiceError like `reachExport`, or when its list cannot be read. */
export async function openExport(place: ExportPlace): Promise<ExportSource> {
  if (place.kind === 'folder') return openFolder(place.path)
  return openBucket(place.booksUrl, { mirror: place.mirror })
}

type Answer = { readonly status: number } | { readonly status: undefined; readonly reason: string }

/** The status that an address answers with within 3.5 s, or why there is no answer. */
export async function firstAnswer(url: string, signal?: AbortSignal): Promise<Answer> {
  const timeout = AbortSignal.timeout(reachMs)
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': userAgent, range: 'bytes=0-0' },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return { status: undefined, reason: `no answer within ${reachMs / 1_000} s` }
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    return { status: undefined, reason: (cause as { code?: string }).code ?? messageOf(cause) }
  }
}

function unreachable(url: string, reason: string): ServiceError {
  return new ServiceError(
    'upstream_error',
    `Sefaria's export could not be reached at ${url}: ${reason}.
Without a network, add the collection from a folder with the export: sources add NAME FOLDER
With a mirror that has books.json and the files that it lists: sources add NAME --base-url URL`,
  )
}
