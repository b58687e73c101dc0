import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { fold } from '../text/fold.ts'
import { stripControls } from '../text/strip-controls.ts'
import { hebrewNameOf } from '../vocabulary/names/hebrew-names.ts'
import { nameWords, peopleNamed, soundKey } from '../vocabulary/names/person-keys.ts'
import { similarNames } from './similar-names.ts'

/** Maximum number of names that an error suggests for an unknown name. */
const offered = 5

/** Maximum number of authors compared with a name; more than any library has. */
const maxAuthors = 20_000

/**
 * Finds the authors that a name means, in the library's spelling. A name of a person in the vocabulary matches in
 * either script. Any other author matches if the name of the author contains all its words.
 * @throws ServiceError `invalid_value` with similar authors, when no author matches.
 */
export async function authorsNamed(executor: Executor, written: string): Promise<readonly string[]> {
  const asked = stripControls(written).trim()
  const authors = await knownAuthors(executor)
  const found = authorsLike(asked, authors)
  if (found.length > 0) return found
  const near = similarNames(asked, authors, soundKey, offered)
  throw new ServiceError('invalid_value', `No author of the library is called "${asked}".${nearby(near)}`, {
    param: 'author',
  })
}

/** Finds the authors, in the library's spelling, who are the person with this name in the vocabulary. */
export async function authorsWhoAre(executor: Executor, name: string): Promise<readonly string[]> {
  const persons = peopleNamed(name)
  const authors = await knownAuthors(executor)
  return authors.filter((author) => isAny(author, persons))
}

async function knownAuthors(executor: Executor): Promise<readonly string[]> {
  const { rows } = await executor.execute<{ author: string }>(
    sql`select distinct author from works where author <> '' order by author limit ${maxAuthors}`,
  )
  return rows.map(({ author }) => author)
}

function isAny(author: string, persons: ReadonlySet<number>): boolean {
  return namesIn(author).some((name) => [...peopleNamed(name)].some((person) => persons.has(person)))
}

/** The end of an error message about an unknown name. It suggests similar names, or a way to list them. */
export function nearby(near: readonly string[]): string {
  return near.length > 0
    ? ` The nearest names: ${near.join(' | ')}.`
    : ' GET /v1/sources/works lists works with their authors and categories.'
}

function authorsLike(asked: string, authors: readonly string[]): readonly string[] {
  const persons = peopleNamed(asked)
  const [written, sounds] = [fold(asked).folded, soundKey(asked)]
  const same = authors.filter(
    (author) =>
      isAny(author, persons) ||
      namesIn(author).some(
        (name) =>
          name.toLowerCase() === asked.toLowerCase() ||
          (written !== '' && fold(name).folded === written) ||
          (sounds !== '' && soundKey(name) === sounds),
      ),
  )
  if (same.length > 0) return same
  const words = nameWords(asked)
  // A very short word would be contained in half of all names.
  if (words.join('').length < 3) return []
  return authors.filter((author) => {
    const own = new Set(nameWords(author))
    return words.every((word) => own.has(word))
  })
}

/** The authors of a work in Hebrew letters; empty unless the vocabulary knows each of them. */
export function hebrewAuthor(author: string): string {
  const [whole = '', ...each] = namesIn(author).map(hebrewNameOf)
  return whole === '' && each.every((name) => name !== '') ? [...new Set(each)].join(', ') : whole
}

/** Splits the author field of a work with several authors. */
function namesIn(author: string): readonly string[] {
  return [author, ...author.split(/[,;&/]|\sand\s/).map((name) => name.trim())].filter((name) => name !== '')
}
