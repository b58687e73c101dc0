import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import type { VersionText } from './version-text.ts'

/** Maximum letters of a word. A longer one is no word but encoded data, and Postgres cannot index it. */
const maxWord = 100_000

const visible = /[^\s\p{C}\p{Z}\p{M}]/u

/**
 * Refuses texts that no reader could use.
 * @throws ServiceError `invalid_value` naming the ref of a text without visible characters, or with a word of more than
 *   100,000 letters.
 */
export function refuseUnreadable(versions: readonly VersionText[]): void {
  for (const { texts } of versions) {
    for (const [ref, text] of texts) {
      if (!visible.test(text)) throw refused(`${ref} has no visible characters. Remove it or write its text`)
      if (text.length <= maxWord) continue
      const word = text.split(/\s+/).find(({ length }) => length > maxWord)
      if (word === undefined) continue
      const start = word.slice(0, 20)
      throw refused(
        `${ref} has a word of more than 100,000 characters: "${start}…". Remove it or put spaces into it`,
      )
    }
  }
}

/** Maximum refs that an error names. */
const named = 3

/**
 * Refuses a version that replaces a longer one: a file that was cut off would remove passages.
 * @param replaced id of the stored version.
 * @throws ServiceError `invalid_value` with the number of passages and the first of them. A passage that is only cut into
 *   other pieces is not missing.
 */
export async function refuseLosses(tx: Executor, replaced: number, version: VersionText): Promise<void> {
  const whole = (ref: string): string => ref.replace(/ §\d+$/, '')
  const kept = new Set(version.texts.keys().map(whole))
  const { rows } = await tx.execute<{ ref: string }>(sql`
    select p.ref from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = ${replaced} order by p.ordinal`)
  const lost = [...new Set(rows.map(({ ref }) => whole(ref)))].filter((ref) => !kept.has(ref))
  if (lost.length === 0) return
  const more = lost.length > named ? ` and ${lost.length - named} more` : ''
  throw refused(
    `The text lacks ${lost.length} of the ${rows.length} passages of the stored version "${version.title}": ` +
      `${lost.slice(0, named).join('; ')}${more}. To remove them, use --replace`,
  )
}

function refused(what: string): ServiceError {
  return new ServiceError('invalid_value', `${what}. Nothing was changed.`)
}
