import type { VerifiedQuote } from '../../../sources/citations/verify.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { notice } from '../../components/page.ts'

/** The checks of quotations without a source, above all those that the library does not contain. */
export function freeQuotations(quotations: readonly VerifiedQuote[]): Html {
  if (quotations.length === 0) return nothing
  const missing = quotations.filter(({ result }) => result === 'not_found').length
  const count = missing === 1 ? '1 quotation was' : `${missing} quotations were`
  return notice(
    'note',
    html`${missing === 0 ? 'Quotations without a citation: ' : html`<b>${count} not found in the library.</b> `}${quotations.map(line)}`,
  )
}

function line({ quote = '', result, ref, found_ref: found, context_warning: context }: VerifiedQuote): Html {
  const place = found ?? ref
  const link = place === undefined ? nothing : html`<a href="${readHref(place)}" dir="auto">${place}</a>`
  return html`<br><q dir="auto">${beginningOf(quote)}</q> ${statements[result]} ${result === 'not_found' ? nothing : link}${context === undefined ? nothing : html` (left out beside it: <q dir="auto">${context.words}</q>)`}`
}

const statements: Readonly<Record<VerifiedQuote['result'], string>> = {
  verbatim: 'stands word for word in',
  fuzzy: 'stands in other words, but close, in',
  misattributed: 'does not stand where the answer says, but in',
  not_found: 'was not found.',
  paraphrase: '',
}

/** The start of a quotation, enough to recognise it; the answer has all of it. */
export function beginningOf(quote: string): string {
  const characters = [...quote]
  return characters.length > 120 ? `${characters.slice(0, 110).join('')} …` : quote
}
