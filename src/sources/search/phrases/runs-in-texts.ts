import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { isFunctionWord, tokenize, wordsOf } from '../../text/tokens.ts'
import { hasRun } from '../expansion/phrases.ts'
import { documentsWithAll } from './phrase-search.ts'

/**
 * The indexes of the names that stand in some text of the library, word for word. Two statements for each name.
 * @throws database errors.
 */
export async function textsHaving(
  executor: Executor,
  names: readonly string[],
): Promise<ReadonlySet<number>> {
  const having = await Promise.all(names.map((name) => standsInTexts(executor, name)))
  return new Set(names.keys().filter((i) => having[i]))
}

async function standsInTexts(executor: Executor, name: string): Promise<boolean> {
  const tokens = tokenize(name)
  const terms = [...new Set(tokens.filter((token) => !isFunctionWord(token)).map(({ term }) => term))]
  const docs = terms.length === 0 ? [] : await documentsWithAll(executor, terms, undefined)
  if (docs.length === 0) return false
  const run = tokens.map(({ term }) => term)
  const { rows } = await executor.execute<{ text: string }>(
    sql`select text from passage_texts where doc_id = any(${sql.param(docs)}::int[])`,
  )
  return rows.some(({ text }) => hasRun(wordsOf(text), run))
}
