import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { isStopWord, tokenize, wordsOf } from '../../text/tokens.ts'
import { hasRun } from '../expansion/phrases.ts'
import { documentsWithAll } from './phrase-search.ts'

/**
 * Returns the indexes of names that occur word for word in a text of the library. Two statements per name.
 * @throws database errors.
 */
export async function textsContaining(
  executor: Executor,
  names: readonly string[],
): Promise<ReadonlySet<number>> {
  const having = await Promise.all(names.map((name) => standsInTexts(executor, name)))
  return new Set(names.keys().filter((i) => having[i]))
}

async function standsInTexts(executor: Executor, name: string): Promise<boolean> {
  const tokens = tokenize(name)
  const terms = [...new Set(tokens.filter((token) => !isStopWord(token)).map(({ term }) => term))]
  const docs = terms.length === 0 ? [] : await documentsWithAll(executor, terms, undefined)
  if (docs.length === 0) return false
  const run = tokens.map(({ term }) => term)
  const { rows } = await executor.execute<{ text: string }>(
    sql`select text from passage_texts where doc_id = any(${sql.param(docs)}::int[])`,
  )
  return rows.some(({ text }) => hasRun(wordsOf(text), run))
}
