import { creditsNumber, creditsText } from '../../../billing/credits.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/**
 * An amount of credits, rounded to two decimals. Its tooltip has the exact amount, which screen readers read in place
 * of the rounded one.
 */
export function credits({ language, usage }: Texts, micros: bigint): Html {
  const exact = creditsText(micros)
  const rounded = creditsNumber(micros).toLocaleString(language, { maximumFractionDigits: 2 })
  if (rounded.replaceAll(',', '') === exact) return html`<data value="${exact}">${rounded}</data>`
  // An amount that is not zero never looks like zero.
  const shown = Number(rounded) === 0 ? '< 0.01' : rounded
  return html`<data value="${exact}" title="${usage.exactly(exact)}"><span aria-hidden="true" dir="ltr">${shown}</span
><span class="sr">${exact}</span></data>`
}
