import { withoutPrefixes } from '../text/hebrew.ts'
import { countPassages, type NumberedTexts } from './aligned-words.ts'

/** A prefix is removed if the rest of the word occurs in at least this fraction of the word's number of passages. */
const minBaseShare = 0.2

/** Words processed between two checks of the clock. */
const wordsPerStep = 100

/**
 * Removes the prefixes of the Hebrew words in passages. The first letters of a word are a prefix if the rest is also a
 * word of the passages (see `minBaseShare`). It yields at points where the caller may pause it.
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
