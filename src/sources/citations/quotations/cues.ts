import { readTable } from '../../vocabulary/data/table.ts'

const roles = [
  'reader',
  'reader_line',
  'filler',
  'title',
  'missing',
  'work_says',
  'list_heading',
  'ref_word',
  'title_word',
] as const

/**
 * What phrases around quotations say. `*` is any word or none. `reader`: ascribes the words behind it to the reader or to
 * people in general; `filler` may follow. `reader_line`: a label of the reader's words at the beginning of a line.
 * `title`: leads to a title. `missing`: says that the library lacks the title before it. `work_says`: stands between a
 * work and its words. `list_heading`: heads a list of sources. `ref_word`, `title_word`: small letters in refs, in titles.
 */
export type CueRole = (typeof roles)[number]

const byRole = Map.groupBy(
  readTable(new URL('./cues.tsv', import.meta.url), { role: roles, phrases: 'list' }),
  ({ role }) => role[0],
)

/** The phrases of a role in both languages, from `cues.tsv`. */
export const cuesOf = (role: CueRole): readonly string[] =>
  (byRole.get(role) ?? []).flatMap(({ phrases }) => phrases)
