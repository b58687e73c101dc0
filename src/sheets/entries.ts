import type { sourceSheets } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { randomBase62 } from '../ids.ts'

export type SheetEntry = (typeof sourceSheets.$inferSelect)['entries'][number]
export type PassageEntry = Extract<SheetEntry, { kind: 'passage' }>
type NoteEntry = Extract<SheetEntry, { kind: 'note' }>

/** Maximum number of sheets of an account, of entries of a sheet, and of characters of its texts. */
export const sheetLimits = Object.freeze({
  sheets: 200,
  entries: 50,
  title: 200,
  intro: 4_000,
  heading: 200,
  note: 4_000,
  ref: 300,
  version: 300,
})

/** A new entry for a passage, in both languages unless `more` says otherwise. */
export function newPassage(
  ref: string,
  more: Partial<Omit<PassageEntry, 'kind' | 'id' | 'ref'>> = {},
): PassageEntry {
  const versions = { he: '', en: '' }
  return { kind: 'passage', id: newEntryId(), ref, heading: '', languages: 'both', versions, ...more }
}

export function newNote(text = ''): NoteEntry {
  return { kind: 'note', id: newEntryId(), text }
}

/** Unique in one sheet of at most 50 entries. */
function newEntryId(): string {
  return randomBase62(8)
}

/** What the editor sends: the whole sheet as its page shows it. */
export type EditedSheet = {
  readonly title: string
  readonly intro: string
  /** Ids of the entries on the page, in their order there. */
  readonly order: readonly string[]
  /** Ids of the entries that the page has removed. */
  readonly removed: readonly string[]
  /** The value of a field of an entry; undefined when the page has no such field. */
  field(name: 'heading' | 'languages' | 'he' | 'en' | 'text', id: string): string | undefined
}

/**
 * The entries after an edit. An entry that the page does not know was added elsewhere since the page was opened: it
 * stays, at the end. An entry that the page still shows but that was removed elsewhere stays removed.
 * @throws ServiceError `invalid_value` that names the field that is too long.
 */
export function editedEntries(stored: readonly SheetEntry[], edit: EditedSheet): readonly SheetEntry[] {
  const known = new Map(stored.map((entry) => [entry.id, entry]))
  const kept = edit.order.flatMap((id) => known.get(id) ?? [])
  const seen = new Set([...edit.order, ...edit.removed])
  const added = stored.filter(({ id }) => !seen.has(id))
  const gone = new Set(edit.removed)
  return [...new Set(kept)]
    .filter(({ id }) => !gone.has(id))
    .map((entry) => withFields(entry, edit))
    .concat(added)
}

function withFields(entry: SheetEntry, { field }: EditedSheet): SheetEntry {
  const { id } = entry
  if (entry.kind === 'note') {
    const text = field('text', id) ?? entry.text
    return { ...entry, text: within(text, sheetLimits.note, `text-${id}`, 'A note') }
  }
  const languages = field('languages', id)
  return {
    ...entry,
    heading: within(field('heading', id) ?? entry.heading, sheetLimits.heading, `heading-${id}`, 'A heading'),
    languages: languages === 'he' || languages === 'en' || languages === 'both' ? languages : entry.languages,
    versions: {
      he: within(field('he', id) ?? entry.versions.he, sheetLimits.version, `he-${id}`, 'A version'),
      en: within(field('en', id) ?? entry.versions.en, sheetLimits.version, `en-${id}`, 'A version'),
    },
  }
}

/**
 * @param what the field for people, such as `A note`.
 * @throws ServiceError `invalid_value` that names the field.
 */
export function within(text: string, max: number, param: string, what: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n').trim()
  if (clean.length <= max) return clean
  const size = `${max.toLocaleString('en')} characters`
  throw new ServiceError(
    'invalid_value',
    `${what} has ${clean.length.toLocaleString('en')} characters. It may have ${size}: shorten it.`,
    { param },
  )
}

/** Moves an entry by one place; the list is the same when it is at the end already. */
export function movedEntry(entries: readonly SheetEntry[], id: string, step: 1 | -1): readonly SheetEntry[] {
  const at = entries.findIndex((entry) => entry.id === id)
  const [moved] = entries.slice(at, at + 1)
  const to = at + step
  if (at < 0 || !moved || to < 0 || to >= entries.length) return entries
  return entries.toSpliced(at, 1).toSpliced(to, 0, moved)
}

/** Adds an entry after the one with the id `after`; at the end without such an entry. */
export function withEntry(
  entries: readonly SheetEntry[],
  added: SheetEntry,
  after?: string,
): readonly SheetEntry[] {
  if (entries.length >= sheetLimits.entries) {
    throw new ServiceError(
      'invalid_value',
      `A sheet may have ${sheetLimits.entries} passages and notes. Remove one, or begin another sheet.`,
      { param: 'entries' },
    )
  }
  const at = entries.findIndex(({ id }) => id === after)
  return at < 0 ? [...entries, added] : entries.toSpliced(at + 1, 0, added)
}
