import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { clean } from '../text/clean.ts'
import { fold } from '../text/fold.ts'
import { nameWords, peopleNamed } from '../vocabulary/names/person-keys.ts'
import { nearestNames } from './likeness.ts'

/** Names that an error offers in place of one that the library does not know. */
const offered = 5

/** Authors that are compared with a name at most: more than any library has. */
const maxAuthors = 20_000

/**
 * The authors of works, in the library's own spelling, whom a name means: any name by which the person is known, in
 * either script; otherwise any author whose name has all of its words.
 * @throws ServiceError `invalid_value` that names near authors, when it means none.
 */
export async function authorsNamed(executor: Executor, written: string): Promise<readonly string[]> {
  const asked = clean(written).trim()
  const authors = await knownAuthors(executor)
  const found = authorsLike(asked, authors)
  if (found.length > 0) return found
  const near = nearestNames(asked, authors, soundsOf, offered)
  throw new ServiceError('invalid_value', `No author of the library is called "${asked}".${nearby(near)}`, {
    param: 'author',
  })
}

/** The authors, in the library's own spelling, who are the person of the vocabulary that this is a name of. */
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

/** The end of an error about an unknown name: what there is instead, if anything is like it. */
export function nearby(near: readonly string[]): string {
  return near.length > 0
    ? ` The nearest names: ${near.join(' | ')}.`
    : ' GET /v1/sources/works lists works with their authors and categories.'
}

function authorsLike(asked: string, authors: readonly string[]): readonly string[] {
  const persons = peopleNamed(asked)
  const [written, sounds] = [fold(asked).folded, soundsOf(asked)]
  const same = authors.filter(
    (author) =>
      isAny(author, persons) ||
      namesIn(author).some(
        (name) =>
          name.toLowerCase() === asked.toLowerCase() ||
          (written !== '' && fold(name).folded === written) ||
          (sounds !== '' && soundsOf(name) === sounds),
      ),
  )
  if (same.length > 0) return same
  const words = nameWords(asked)
  // A name of a single short word would be a part of half of all names.
  if (words.join('').length < 3) return []
  return authors.filter((author) => {
    const own = new Set(nameWords(author))
    return words.every((word) => own.has(word))
  })
}

/** A work of several authors names them in one line. */
function namesIn(author: string): readonly string[] {
  return [author, ...author.split(/[,;&/]|\sand\s/).map((name) => name.trim())].filter((name) => name !== '')
}

const soundsOf = (name: string): string => nameWords(name).join(' ')
