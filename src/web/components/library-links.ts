/**
 * URLs of the library. Refs contain spaces, colons and semicolons, so each ref is one encoded part of the
 * path.
 */

export type ReadOptions = {
  /** Words of the passage to highlight. */
  readonly quote?: string | undefined
  /** The version to show. */
  readonly version?: { readonly language: string; readonly version: string } | undefined
}

/** The reader at a ref. */
export function readHref(ref: string, { quote, version }: ReadOptions = {}): string {
  const query = new URLSearchParams()
  if (version) query.set(version.language === 'he' ? 'hebrew' : 'translation', versionKey(version))
  if (quote !== undefined) query.set('quote', quote)
  return `/library/read/${encodeURIComponent(ref)}${query.size > 0 ? `?${query}` : ''}`
}

/** Key of a version within its work, as URLs contain it. */
export function versionKey({ language, version }: { language: string; version: string }): string {
  return `${language}/${version}`
}

/** The page of one passage with its links and the reader's own marks. */
export function passageHref(ref: string): string {
  return `/library/passage/${encodeURIComponent(ref)}`
}

export function workHref(title: string): string {
  return `/library/work/${encodeURIComponent(title)}`
}

/** `path` with the parameters that have a value. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value)
  return query.size > 0 ? `${path}?${query}` : path
}
