import { readTable } from '../data/table.ts'

/**
 * The works of the field, each in one row: the only place for titles.
 * - `id`: the canonical name, and the key in the index. It must not change.
 * - `heading`: the title in stored refs. `title`: the publisher's title, for a work that the library may not hold.
 * - `names`: all other names, for each use of the work. A new spelling belongs here.
 * - `index_only`, `refs_only`, `unheld_only`: names for one use, because they mean something else in the others.
 * - `author`: the first name of a person. `author_names`: authors whose name before a number means this work.
 * - `uses`: `index` (one key for all names), `refs` (other titles of a heading), `unheld` (reported as not held).
 */
const rows = readTable(
  new URL('../data/works.tsv', import.meta.url),
  {
    id: 'text',
    heading: 'text?',
    title: 'text?',
    names: 'list',
    index_only: 'list?',
    refs_only: 'list?',
    unheld_only: 'list?',
    author: 'text?',
    author_names: 'list?',
    division: ['chassidut', 'kabbalah', 'law', 'musar-and-thought', 'scripture-and-talmud'],
    uses: ['index', 'refs', 'unheld'],
  },
  'id',
)

/** The first name, then the others. */
const namesFrom = (
  first: string,
  ...others: readonly (readonly string[])[]
): readonly [string, ...(readonly string[])] => [first, ...others.flat().filter((name) => name !== first)]

/** Titles of books with all their spellings; the rules of `aliases` apply. */
export const bookNames: readonly (readonly string[])[] = rows
  .filter(({ uses }) => uses.includes('index'))
  .map(({ id, names, index_only: others }) => namesFrom(id, names, others))

/**
 * Alternative titles of a heading, used by people and older editions. A number after one of them is a number under
 * that heading. Titles from a source are not listed, because the library stores them with the work.
 */
export const headingAliases: readonly (readonly [heading: string, ...others: readonly string[]])[] = rows
  .filter(({ uses }) => uses.includes('refs'))
  .map(({ heading, names, refs_only: others }) => namesFrom(heading, names, others))

/** Authors whose name before a number means their main work. */
export const authorAliases: readonly (readonly [heading: string, ...authors: readonly string[]])[] = rows
  .filter((row) => row.author_names.length > 0)
  .map((row) => [row.heading, ...row.author_names])

/** Works that a library may not hold, each with all its names, the publisher's title first. */
export const unheldWorks: readonly { readonly names: readonly string[]; readonly isChassidic: boolean }[] =
  rows
    .filter(({ uses }) => uses.includes('unheld'))
    .map(({ title, names, unheld_only: others, division }) => ({
      names: namesFrom(title, names, others),
      isChassidic: division.includes('chassidut'),
    }))

/**
 * The author, or teacher, of each book by its canonical name. It is needed because imported works may have no author.
 */
export const authorship: readonly (readonly [person: string, book: string])[] = rows
  .filter(({ author }) => author !== '')
  .map(({ author, id }) => [author, id])
