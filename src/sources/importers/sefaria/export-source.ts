import { ServiceError } from '../../../errors.ts'
import type { Head } from './download.ts'

/** A file of an export that contains one version, before it is read. */
export type ExportEntry = {
  /** The same in every export. */
  readonly id: string
  /** Title of the work. Empty when only the content of the file tells. */
  readonly title: string
  readonly categories: readonly string[]
  /** Name of the file in reports. */
  readonly name: string
  /** Path or URL. */
  readonly location: string
}

export type Content = { readonly body: Buffer; readonly etag: string | undefined }

/** An export in a folder or in a bucket. */
export type ExportSource = {
  readonly entries: readonly ExportEntry[]
  /** Number of merged files, which are excluded by their names. */
  readonly merged: number
  /** Reads a file. The result is `undefined` if its content still has this ETag. */
  read(entry: ExportEntry, etag?: string): Promise<Content | undefined>
  /** Reads the beginning of a file. @throws when it cannot be read. */
  head(entry: ExportEntry, signal: AbortSignal): Promise<Head>
  /** Reads the schema file of a work, if the export has one. */
  schema(title: string): Promise<string | undefined>
  /** The files of links between texts, each as a stream of lines. */
  links(): readonly (() => Promise<AsyncIterable<string>>)[]
}

export type Selection = { readonly titles: readonly string[]; readonly categories: readonly string[] }

export type WorkEntries = { readonly title: string; readonly entries: readonly ExportEntry[] }

/**
 * Selects works with the files of their versions, in the order of the export. A work is selected by its title or one
 * of its categories. Without either, all works are selected.
 * @throws ServiceError `not_found` naming a title or category that the export does not have.
 */
export function selectWorks(entries: readonly ExportEntry[], selection: Selection): readonly WorkEntries[] {
  const titles = new Set(selection.titles.map(fileKey))
  const categories = new Set(selection.categories.map(fileKey))
  const all = titles.size === 0 && categories.size === 0
  const wanted = entries.filter(
    (entry) =>
      all ||
      titles.has(fileKey(entry.title)) ||
      entry.categories.some((category) => categories.has(fileKey(category))),
  )
  const known = new Set(entries.flatMap((entry) => [fileKey(entry.title)]))
  const knownCategories = new Set(entries.flatMap((entry) => entry.categories.map(fileKey)))
  const missing =
    selection.titles.find((title) => !known.has(fileKey(title))) ??
    selection.categories.find((category) => !knownCategories.has(fileKey(category)))
  if (missing !== undefined) {
    throw new ServiceError('not_found', `The export has nothing under the title or category "${missing}".`)
  }
  return [...Map.groupBy(wanted, (entry) => entry.title || entry.id)].map(([title, ofWork]) => ({
    title,
    entries: ofWork,
  }))
}

function fileKey(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(/[’‘]/g, "'").trim()
}

/** Path of a work's schema file. */
export function schemaPath(title: string): string {
  return `schemas/${title.replaceAll(' ', '_')}.json`
}

/** Whether a path is a file of links. Files `by_book` contain counts, not links. */
export function isLinksFile(path: string): boolean {
  return /(^|\/)links\d*\.csv$/.test(path)
}
