import pLimit from 'p-limit'
import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { gatherWithVersions, type ItemProblem } from '../workspace/sheets/gather.ts'
import { languagesOf, type Sheet, type SheetLanguage, type SheetSource } from '../workspace/sheets/sheet.ts'
import { languageForReader, wordsIn } from '../workspace/sheets/words.ts'
import type { PassageEntry, SheetEntry } from './entries.ts'
import type { StoredSheet } from './store.ts'

/** A passage with its texts as the library has them now. */
export type ReadPassage = {
  readonly kind: 'passage'
  readonly id: string
  readonly entry: PassageEntry
  readonly source: SheetSource
  /** Titles of the versions that the library has of the passage. */
  readonly offered: Readonly<Record<SheetLanguage, readonly string[]>>
  /** Versions that the sheet names and the library no longer has here; `source` shows others in their place. */
  readonly replaced: readonly string[]
}

/** An entry of a sheet with what the library has at its ref. */
export type ReadEntry =
  | ReadPassage
  | { readonly kind: 'note'; readonly id: string; readonly text: string }
  | {
      readonly kind: 'missing'
      readonly id: string
      readonly entry: PassageEntry
      readonly problem: ItemProblem
    }

/** Passages read at the same time. Each needs some statements one after the other. */
const maxReads = 4

/**
 * Reads the passages of a sheet from the library, in the order of the sheet.
 * @throws the reason of `signal` when it is aborted; no further passage is read.
 */
export function readEntries(
  library: Executor,
  entries: readonly SheetEntry[],
  signal: AbortSignal,
): Promise<readonly ReadEntry[]> {
  const slots = pLimit(maxReads)
  return Promise.all(
    entries.map((entry) =>
      entry.kind === 'note' ? entry : slots(() => readPassageEntry(library, entry, signal)),
    ),
  )
}

/** @throws the reason of `signal` when it is aborted. */
export async function readPassageEntry(
  library: Executor,
  entry: PassageEntry,
  signal: AbortSignal,
): Promise<Exclude<ReadEntry, { kind: 'note' }>> {
  signal.throwIfAborted()
  const found = await gatherWithVersions(library, { ...entry, note: '' })
  const { id } = entry
  if ('problem' in found) return { kind: 'missing', id, entry, problem: found }
  const { source, offered } = found
  const replaced = languagesOf(source).flatMap((language) => {
    const wanted = entry.versions[language]
    return wanted === '' || offered[language].includes(wanted) ? [] : [wanted]
  })
  return { kind: 'passage', id, entry, source, offered, replaced }
}

/** Maximum characters of passages in a file of a sheet. */
const maxCharacters = 300_000

/** For whom a file is made. */
export type FileReader = {
  /** Language of the reader's pages. Hebrew makes every sheet Hebrew. */
  readonly language: SheetLanguage
  /** Names the refs of missing passages. */
  readonly nameOf: (ref: string) => string
}

/**
 * The sheet as `renderSheet` takes it. A note belongs to the passage above it, or to the introduction if there is none.
 * A passage that the library no longer has is named in the same place.
 * @throws ServiceError `invalid_value` for a sheet without a passage, or with more text than a file may have.
 */
export function sheetForFiles(
  { title, intro }: Pick<StoredSheet, 'title' | 'intro'>,
  entries: readonly ReadEntry[],
  reader: FileReader,
): Sheet {
  const language = languageForReader(title, reader.language)
  const words = wordsIn(language)
  const sources: SheetSource[] = []
  const before = [intro]
  for (const entry of entries) {
    if (entry.kind === 'passage') sources.push(entry.source)
    else {
      const text = entry.kind === 'note' ? entry.text : words.missing(reader.nameOf(entry.entry.ref))
      const last = sources.pop()
      if (last) sources.push({ ...last, note: joined([last.note, text]) })
      else before.push(text)
    }
  }
  requireSize(sources)
  return { language, title, intro: joined(before), sources }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}

function requireSize(sources: readonly SheetSource[]): void {
  if (sources.length === 0) {
    throw new ServiceError('invalid_value', 'The sheet has no passage of the library. Add one first.', {
      param: 'entries',
    })
  }
  const lengths = sources.flatMap(({ rows }) => rows.map(({ texts }) => texts.he.length + texts.en.length))
  if (lengths.reduce((sum, length) => sum + length, 0) <= maxCharacters) return
  throw new ServiceError(
    'invalid_value',
    `The passages of the sheet have more than ${maxCharacters.toLocaleString('en')} characters. Remove some.`,
    { param: 'entries' },
  )
}
