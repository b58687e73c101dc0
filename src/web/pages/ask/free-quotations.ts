import type { VerifiedQuote } from '../../../sources/citations/verify.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { notice } from '../../components/page.ts'

/** The checks of quotations that an answer gives without a citation. Those that the library lacks are counted first. */
export function freeQuotations(quotations: readonly VerifiedQuote[]): Html {
  if (quotations.length === 0) return nothing
  const missing = quotations.filter(({ result }) => result === 'not_found').length
  const count = missing === 1 ? '1 quotation was' : `${missing} quotations were`
  const lead =
    missing === 0 ? 'Quotations without a citation: ' : html`<b>${count} not found in the library.</b> `
  return notice('note', html`${lead}${quotations.map(line)}`)
}

function line({ quote = '', result, ref, found_ref: found, context_warning: context }: VerifiedQuote): Html {
  const at = result === 'not_found' ? undefined : (found ?? ref)
  const link = at === undefined ? nothing : html`<a href="${readHref(at)}" dir="auto">${at}</a>`
  const omitted = context && html` (left out: <q dir="auto">${context.words}</q>)`
  return html`<br><q dir="auto">${beginningOf(quote)}</q> ${statements[result]} ${link}${omitted}`
}

const statements: Readonly<Record<VerifiedQuote['result'], string>> = {
  verbatim: 'is word for word in',
  fuzzy: 'is close to the words of',
  misattributed: 'is not where the answer says, but in',
  not_found: 'was not found.',
  paraphrase: '',
}

/** The beginning of a long quotation: the answer has the whole. */
export function beginningOf(quote: string): string {
  const characters = [...quote]
  return characters.length > 120 ? `${characters.slice(0, 110).join('')} …` : quote
}
