import type { QuoteCheck } from '../../../sources/citations/check.ts'
import type { VerifiedQuote } from '../../../sources/citations/verify.ts'
import type { RunEnd } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import type { QuotationMark } from '../../markdown/answer-marks.ts'

type Result = Exclude<QuoteCheck['result'], 'paraphrase'>

/** The check of one quotation of an answer. */
export type AnswerCheck = Omit<VerifiedQuote, 'result' | 'quote'> & {
  readonly result: Result
  readonly quote: string
  /** HTML id of the popover with its details. */
  readonly id: string
}

type Words = { readonly label: string; readonly sign: string; readonly meaning: string }

/** The results in the order in which the line above an answer counts them. */
export const results: Readonly<Record<Result, Words>> = {
  verbatim: { label: 'word for word', sign: '✓', meaning: 'The passage has the quotation word for word.' },
  fuzzy: {
    label: 'close',
    sign: '≈',
    meaning: 'The quotation is close to the passage, but not word for word.',
  },
  misattributed: { label: 'in another passage', sign: '→', meaning: 'Another passage has the quotation.' },
  not_found: { label: 'not found', sign: '✗', meaning: 'The library does not have the quotation there.' },
}

/** All checks of an answer's quotations: those with a citation, then those without. */
export function checksOf(runId: string, end: RunEnd): readonly AnswerCheck[] {
  const cited = end.sources.flatMap(({ ref, verification }) =>
    verification.map((check) => ({ ref, ...check })),
  )
  return [...cited, ...(end.quotations ?? [])].flatMap((check: VerifiedQuote, at) => {
    const { result, quote } = check
    if (result === 'paraphrase' || quote === undefined) return []
    return [{ ...check, result, quote, id: `${runId}-q${at + 1}` }]
  })
}

/** How each check is shown in the sentence of its quotation. */
export function quotationMarks(checks: readonly AnswerCheck[]): readonly QuotationMark[] {
  return checks.map((check) => {
    const { quote, result: kind, found_ref: found, id } = check
    const { label, sign } = results[kind]
    if (hasDetails(check)) {
      const words = check.context_warning ? 'leaves out words' : label
      return { quote, kind: kind === 'verbatim' ? 'fuzzy' : kind, label: words, popover: id }
    }
    if (kind === 'verbatim') return { quote, kind, label, sign }
    if (kind === 'misattributed' && found !== undefined)
      return { quote, kind, label: `in ${found}`, href: readHref(found, { quote }) }
    return { quote, kind, label }
  })
}

/** The line above an answer: how many quotations have which result. It opens to each of them. */
export function checkSummary(checks: readonly AnswerCheck[]): Html {
  if (checks.length === 0) return html`<p class="checks faint">No quotations to check</p>`
  const counts = (Object.keys(results) as Result[]).flatMap((result) => {
    const count = checks.filter((check) => check.result === result).length
    const { sign, label } = results[result]
    if (count === 0) return []
    return [
      html`<span class="count ${result}"><span aria-hidden="true">${sign}</span> ${count} ${label}</span> `,
    ]
  })
  return html`<details class="checks"><summary><span class="faint">Quotations:</span> ${counts}</summary>
<ul>${checks.map((check) => html`<li>${checkLine(check)}</li>`)}</ul></details>`
}

/** One check in words. */
export function checkLine(check: AnswerCheck): Html {
  const { result, quote, ref, found_ref: found, context_warning: context } = check
  const at = found ?? (result === 'not_found' ? undefined : ref)
  const place = at === undefined ? nothing : html` <a class="ref" href="${readHref(at)}" dir="auto">${at}</a>`
  const omitted =
    context && html` It leaves out <q dir="auto">${context.words}</q>, which may change the meaning.`
  return html`<span class="badge ${result}">${results[result].label}</span>
<q dir="auto">${beginningOf(quote)}</q>${place}${omitted}`
}

/** What a label in the answer opens: how a quotation differs from its passage. */
export function checkPopovers(checks: readonly AnswerCheck[]): Html {
  return html`${checks.filter(hasDetails).map(
    (
      check,
    ) => html`<div class="check-details" id="${check.id}" popover role="dialog" aria-label="Check of the quotation">
<p>${results[check.result].meaning}</p>
${check.original === undefined ? nothing : html`<blockquote class="text" dir="auto">${check.original}</blockquote>`}
${differences(check)}
<p>${checkLine(check)}</p>
<button type="button" class="quiet" popovertarget="${check.id}" popovertargetaction="hide">Close</button></div>`,
  )}`
}

function hasDetails({ differences: found = [], context_warning: context, result }: AnswerCheck): boolean {
  return context !== undefined || (result === 'fuzzy' && found.length > 0)
}

function differences({ differences: found = [] }: AnswerCheck): Html {
  if (found.length === 0) return nothing
  return html`<ul class="differences">${found.map(({ kind, quote, text }) => {
    if (kind === 'left_out') return html`<li>Left out: <ins dir="auto">${text}</ins></li>`
    if (kind === 'added') return html`<li>Added: <del dir="auto">${quote}</del></li>`
    return html`<li><del dir="auto">${quote}</del> in place of <ins dir="auto">${text}</ins></li>`
  })}</ul>`
}

/** The beginning of a long quotation: the answer has the whole. */
function beginningOf(quote: string): string {
  const characters = [...quote]
  return characters.length > 120 ? `${characters.slice(0, 110).join('')} …` : quote
}
