import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { isStopWord } from '../../text/tokens.ts'
import { isInPhrase, type Phrase } from '../expansion/phrases.ts'
import { parseQuery, type Query } from '../expansion/query.ts'
import { termFrequencies } from '../scoring/index-lookup.ts'
import { documentsOfPhrases, termsOfPhrases } from './phrase-search.ts'

/**
 * Parses a question with quoted phrases and other words. If no passage has a phrase word for word, it is searched as
 * single words, because people also quote translations or from memory. A query of phrases only keeps them.
 */
export async function withPlainQuotations(
  executor: Executor,
  text: string,
  ranges: DocumentRanges | undefined,
): Promise<Query> {
  const query = parseQuery(text)
  const { tokens, quoted } = query
  const hasOthers = tokens.some((token, at) => !isInPhrase(quoted, at) && !isStopWord(token))
  if (quoted.length === 0 || !hasOthers) return query
  const documents = await termFrequencies(executor, termsOfPhrases(query))
  const found = await Promise.all(
    quoted.map(async (phrase): Promise<readonly Phrase[]> => {
      const alone = { ...query, quoted: [phrase], whole: undefined }
      const having = await documentsOfPhrases(executor, alone, ranges, documents)
      return having.length > 0 ? [phrase] : []
    }),
  )
  const kept = found.flat()
  return kept.length === quoted.length ? query : parseQuery(text, kept)
}
