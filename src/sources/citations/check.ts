import { inSlices, Slices } from '../slices.ts'
import { attribute, findMarks } from './anchors.ts'
import { Checker, type FindVerbatim, type Passage, type QuoteCheck } from './checker.ts'
import type { Cited } from './cited-marks.ts'
import { findQuotations } from './quotes.ts'

export type { FindVerbatim, QuoteCheck } from './checker.ts'

/** A cited source with one entry for each quotation that belongs to it. */
export type CitedSource = Cited & { readonly verification: readonly QuoteCheck[] }

/**
 * Checks the quotations of an answer against the very texts that were offered under their marks. The result for a
 * quotation with several marks belongs to the one it fits best; one without an offered mark is left out, and so is a
 * title in quotation marks.
 *
 * Time grows with the length of the text: near wordings stop being searched after a fixed amount of work (far beyond
 * any ordinary answer), and are `not_found` without a similarity then.
 *
 * @param input.text the text as the model wrote it (`raw()` of the renderer).
 * @param input.cited the renderer's sources; each comes back with its checks.
 * @throws what `findVerbatim` throws.
 */
export async function checkCitations(input: {
  readonly text: string
  readonly cited: readonly Cited[]
  readonly findVerbatim?: FindVerbatim
}): Promise<readonly CitedSource[]> {
  const byMark = new Map(input.cited.map((entry) => [entry.source.mark, entry.source]))
  const anchors = await inSlices(findMarks(input.text, (mark) => byMark.has(mark)))
  const found = await inSlices(findQuotations(input.text, anchors))
  const owners = attribute(input.text, found, anchors)
  const checker = new Checker(
    input.cited.map(({ source }) => source),
    input.findVerbatim,
  )
  const slices = new Slices()
  const checks = new Map<Passage, QuoteCheck[]>()
  for (const [i, quotation] of found.quotations.entries()) {
    await slices.pause()
    const passages = (owners[i]?.keys ?? []).flatMap((mark) => byMark.get(mark) ?? [])
    const judged = await checker.check(quotation, passages)
    if (judged === undefined) continue
    const sofar = checks.get(judged.passage)
    if (sofar === undefined) checks.set(judged.passage, [judged.check])
    else sofar.push(judged.check)
  }
  return input.cited.map(({ source, n }) => ({
    source,
    n,
    verification: checks.get(source) ?? [{ result: 'paraphrase' }],
  }))
}
