import type { CitedSource, RunEnd } from '../run/run-events.ts'

/** Against what something was checked: a passage of the library, a file of the project, or the result of a tool. */
export type SourceKind = 'library' | 'file' | 'tool'

/** The address that `markPassage` gives, alone or behind the origin of the service. */
const ofFile = /^(?:https?:\/\/[^/]+)?\/v1\/files\/(file-\w+)\/content\?version=\d+$/

/** The id of the file that a source is of. Undefined for a passage of the library. */
export function fileIdOf({ url }: Pick<CitedSource, 'url'>): string | undefined {
  return ofFile.exec(url)?.[1]
}

/** The kind of a source. A file's `ref` is its name and a place in it, however much it looks like a ref. */
export function sourceKindOf(source: Pick<CitedSource, 'url'>): 'library' | 'file' {
  return fileIdOf(source) === undefined ? 'library' : 'file'
}

/**
 * Which kind of source a check compared with. Undefined for a quotation that was found nowhere.
 * @param source the source that the quotation cites; undefined without a citation.
 */
export function checkedKindOf(
  check: {
    readonly result: string
    readonly found_ref?: string | undefined
    readonly ref?: string | undefined
  },
  source: CitedSource | undefined,
  { sources }: Pick<RunEnd, 'sources'>,
): SourceKind | undefined {
  if (check.result === 'from_tool') return 'tool'
  if (source && check.found_ref === undefined) return sourceKindOf(source)
  const at = check.found_ref ?? (check.result === 'not_found' ? undefined : check.ref)
  if (at === undefined) return undefined
  // An uncited quotation and a misattributed one are looked for in the library, and in what the turn has cited.
  const there = sources.filter(({ ref }) => ref === at).map(sourceKindOf)
  return there.length > 0 && there.every((kind) => kind === 'file') ? 'file' : 'library'
}
