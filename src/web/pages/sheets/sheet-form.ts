import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type EditedSheet,
  editedEntries,
  movedEntry,
  newNote,
  type SheetEntry,
  sheetLimits,
  withEntry,
  within,
} from '../../../sheets/entries.ts'
import { requireTitle, type StoredSheet } from '../../../sheets/store.ts'

const many = z.union([z.string(), z.array(z.string())]).default([])
/** The whole sheet as its page shows it, with what a button does. */
export const sheetForm = z.looseObject({
  title: z.string().default(''),
  intro: z.string().default(''),
  entry: many,
  removed: many,
  ref: z.string().default(''),
  /** `save`, `add`, `note`, or `up`, `down`, `remove`, `note` with the id of an entry after a colon. */
  action: z.string().max(100).default('save'),
})
export type SheetForm = z.output<typeof sheetForm>

/** Scripts ask for JSON, and forms of the page for HTML. */
export function isScript(request: FastifyRequest): boolean {
  return request.headers.accept === 'application/json'
}

function editOf(form: SheetForm): EditedSheet {
  const fields = form as Readonly<Record<string, unknown>>
  return {
    title: form.title,
    intro: form.intro,
    order: [form.entry].flat(),
    removed: [form.removed].flat(),
    field(name, id) {
      const value = fields[`${name}-${id}`]
      return typeof value === 'string' ? value : undefined
    },
  }
}

/** The sheet after the form: its fields first, then its action. */
export function changed(stored: StoredSheet, form: SheetForm, added: SheetEntry | undefined) {
  const edit = editOf(form)
  const entries = editedEntries(stored.entries, edit)
  const [action = '', id = ''] = form.action.split(':')
  return {
    title: requireTitle(edit.title),
    intro: within(edit.intro, sheetLimits.intro, 'intro', 'The introduction'),
    entries: added ? withEntry(entries, added) : acted(entries, action, id),
  }
}

function acted(entries: readonly SheetEntry[], action: string, id: string): readonly SheetEntry[] {
  switch (action) {
    case 'up':
      return movedEntry(entries, id, -1)
    case 'down':
      return movedEntry(entries, id, 1)
    case 'remove':
      return entries.filter((entry) => entry.id !== id)
    case 'note':
      return withEntry(entries, newNote(), id)
    default:
      return entries
  }
}

/** What was written stays in the form when it is refused. */
export function asWritten(stored: StoredSheet, form: SheetForm): StoredSheet {
  const { title, intro } = form
  try {
    return { ...stored, title, intro, entries: editedEntries(stored.entries, editOf(form)) }
  } catch {
    // A field is too long: the browser kept it from being typed, so a script or a program sent it.
    return { ...stored, title: title.slice(0, sheetLimits.title), intro: intro.slice(0, sheetLimits.intro) }
  }
}

/** Where the page goes on: at the entry that was added or moved. */
export function targetOf({ action }: SheetForm, sheet: StoredSheet, added: SheetEntry | undefined): string {
  const [name = '', id = ''] = action.split(':')
  if (added) return `?done=added#entry-${added.id}`
  if (name === 'note') return `#entry-${noteAfter(sheet.entries, id)}`
  return name === 'up' || name === 'down' ? `#entry-${id}` : '?done=saved'
}

function noteAfter(entries: readonly SheetEntry[], id: string): string {
  const at = entries.findIndex((entry) => entry.id === id)
  return (at < 0 ? entries.at(-1) : entries[at + 1])?.id ?? ''
}
