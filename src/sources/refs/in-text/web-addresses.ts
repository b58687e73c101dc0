import { formatRef, parseRef } from '../grammar/refs.ts'
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
      const parsed = parseRef(written)
      const { heading, address: numbers } = parsed
      const candidate = {
        start,
        end: start + written.length,
        asked: written,
        title: heading,
        mustExist: isEncoded,
      }
      const isSure = numbers.length > 0 && isPlace
      // A URL with numbers names a place, whether the library knows the title or not.
      const unheld = isSure ? { ...candidate, asked: formatRef(parsed) } : undefined
      if (heading !== '') sites.push({ candidates: [candidate], isSure, unheld })
    }
    yield
  }
  return { sites, masked: masked + text.slice(masked.length) }
}
