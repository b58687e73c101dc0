import { parseRef } from '../grammar/refs.ts'
import type { Site } from './site.ts'

/** Matches URLs, and percent-encoded refs, which do not occur in a sentence by chance. */
const address =
  /(?:https?:\/\/|(?<![\p{L}\d/])(?:www\.)?sefaria\.org|(?<![\p{L}\d/])\/library\/read\/)[^\s<>"“”\])]{1,500}|(?<![^\s(])[\p{L}\d_.,;:'-]{1,200}%[0-9a-f]{2}[^\s<>"“”\])]{0,300}/giu
const ofPlaces =
  /^(?:https?:\/\/)?(?:www\.|voices\.)?sefaria\.org(?:\.il)?\/[^/]+$|^(?:https?:\/\/[^/]+)?\/library\/read\/./i
/** Pages of Sefaria that show no text. */
const otherPages =
  /sefaria\.org(?:\.il)?\/(?:sheets|texts|search|topics|person|profile|settings|static|api|about|donate)\b/i

/**
 * Finds the URLs in a text that name a place, and replaces all URLs by spaces. The generator yields at points where
 * the caller may pause it.
 */
export function* addressesIn(
  text: string,
): Generator<undefined, { readonly sites: readonly Site[]; readonly masked: string }> {
  const sites: Site[] = []
  let masked = ''
  for (const { 0: whole, index: start } of text.matchAll(address)) {
    masked += text.slice(masked.length, start) + ' '.repeat(whole.length)
    const written = whole.replace(/[.,;:!?'’*_]+$/, '')
    const isPlace = ofPlaces.test(written.replace(/[?#].*$/, '')) && !otherPages.test(written)
    const isEncoded = !/^(?:https?:|\/|www\.|sefaria)/i.test(written)
    if (isPlace || isEncoded) {
      const { heading, address: numbers } = parseRef(written)
      const candidate = {
        start,
        end: start + written.length,
        asked: written,
        title: heading,
        mustExist: isEncoded,
      }
      if (heading !== '') sites.push({ candidates: [candidate], isSure: numbers.length > 0 && isPlace })
    }
    yield
  }
  return { sites, masked: masked + text.slice(masked.length) }
}
