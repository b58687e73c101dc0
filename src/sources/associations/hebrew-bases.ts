import { withoutPrefixes } from '../text/hebrew.ts'
import { countPassages, type NumberedTexts } from './aligned-words.ts'

/** What is left of a word without its first letters is that word when it stands in this part as many passages. */
const minBaseShare = 0.2

/** Words between two looks at the clock. */
const wordsPerStep = 100

/**
 * The passages with each Hebrew word without the prefixes that it bears, as far as the other words tell. Yields where
 * the work may be interrupted.
 */
export function* withoutHebrewPrefixes(he: NumberedTexts): Generator<undefined, NumberedTexts> {
  const bases = yield* basesOf(he, yield* countPassages(he))
  const seenIn = new Int32Array(he.terms.length).fill(-1)
  const texts: Uint32Array[] = []
  for (const [passage, text] of he.texts.entries()) {
    texts.push(
      text
        .map((term) => bases[term] ?? term)
        .filter((base) => {
          const isNew = seenIn[base] !== passage
          seenIn[base] = passage
          return isNew
        }),
    )
    yield
  }
  return { ...he, texts }
}

function* basesOf({ terms, numbers }: NumberedTexts, counts: Uint32Array): Generator<undefined, Uint32Array> {
  const bases = new Uint32Array(terms.length)
  for (const [number, term] of terms.entries()) {
    const min = (counts[number] ?? 0) * minBaseShare
    const known = withoutPrefixes(term).flatMap((form) => numbers.get(form) ?? [])
    bases[number] = known.findLast((base) => (counts[base] ?? 0) >= min) ?? number
    if (number % wordsPerStep === 0) yield
  }
  return bases
}
