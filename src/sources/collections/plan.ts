import type { ExportEntry, ExportSource, WorkEntries } from '../importers/sefaria/export-source.ts'
import type { Collection, CollectionWork } from './collection.ts'

/** What an import of a collection takes from an export. */
export type Plan = {
  readonly collection: Collection
  /** In the order of the collection, with the files of their versions. */
  readonly works: readonly WorkEntries[]
  /** Titles of the collection that the export has under no known title. */
  readonly missing: readonly string[]
  /** Works that the export has under another title. */
  readonly renamed: readonly { readonly listed: string; readonly found: string }[]
}

/** Finds the works of a collection in an export, by their titles and former titles. */
export function planCollection(collection: Collection, source: ExportSource): Plan {
  const ofTitle = Map.groupBy(source.entries, ({ title }) => title)
  const byKey = new Map<string, string>()
  for (const title of ofTitle.keys()) if (!byKey.has(titleKey(title))) byKey.set(titleKey(title), title)
  const chosen = new Set<string>()
  const missing: string[] = []
  const renamed: { listed: string; found: string }[] = []
  for (const work of collection.works) {
    const found = ofTitle.has(work.title) ? work.title : titleIn(byKey, work)
    if (found === undefined) missing.push(work.title)
    else if (found !== work.title) renamed.push({ listed: work.title, found })
    if (found !== undefined) chosen.add(found)
  }
  for (const entry of source.entries) if (isOfCategory(entry, collection)) chosen.add(entry.title)
  const works = [...chosen].map((title) => ({ title, entries: ofTitle.get(title) ?? [] }))
  return { collection, works, missing, renamed }
}

/** All files of a plan, in its order. */
export function filesOf({ works }: Plan): readonly ExportEntry[] {
  return works.flatMap(({ entries }) => entries)
}

function titleIn(byKey: ReadonlyMap<string, string>, { title, formerTitles = [] }: CollectionWork) {
  return [title, ...formerTitles].map((name) => byKey.get(titleKey(name))).find((name) => name !== undefined)
}

function isOfCategory({ title, categories }: ExportEntry, collection: Collection): boolean {
  return title !== '' && categories.some((category) => collection.categories?.includes(category))
}

/** Titles that differ only in apostrophes, capitals, spaces or doubled letters are the same. */
function titleKey(title: string): string {
  return title
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/(\p{L})\1+/gu, '$1')
}
