import { type Script, wordsOf } from '../text/tokens.ts'

/** The distinctive words of one passage in both languages, each once. */
export type AlignedTerms = { readonly he: readonly string[]; readonly en: readonly string[] }

/**
 * Maximum terms that are read per passage and language. In a longer passage, it is unclear which words belong
 * together.
 */
const maxTerms = 300

/** Reads the terms of a passage. */
export function alignedTerms(he: string, en: string): AlignedTerms {
  return { he: termsOf(he, 'he'), en: termsOf(en, 'en') }
}

function termsOf(text: string, script: Script): readonly string[] {
  const terms = new Set<string>()
  for (const word of wordsOf(text)) {
    if (terms.size >= maxTerms) break
    if (!word.isStopWord && word.script === script && /\p{L}{2}/u.test(word.term)) terms.add(word.term)
  }
  return [...terms]
}

/** Passages in one language, with their terms as numbers. */
export type NumberedTexts = {
  readonly terms: readonly string[]
  /** Index of each term in `terms`. */
  readonly numbers: ReadonlyMap<string, number>
  /** For each passage the indexes of its words in `terms`, each once. */
  readonly texts: readonly Uint32Array[]
}

/**
 * Passages in both languages as numbers. Strings would take eight times the memory and cause long garbage
 * collections.
 */
export class AlignedTexts {
  readonly #he = new TermNumbers()
  readonly #en = new TermNumbers()
  readonly #heTexts: Uint32Array[] = []
  readonly #enTexts: Uint32Array[] = []

  get size(): number {
    return this.#heTexts.length
  }

  add({ he, en }: AlignedTerms): void {
    this.#heTexts.push(this.#he.of(he))
    this.#enTexts.push(this.#en.of(en))
  }

  get he(): NumberedTexts {
    return { ...this.#he, texts: this.#heTexts }
  }

  get en(): NumberedTexts {
    return { ...this.#en, texts: this.#enTexts }
  }
}

/** Assigns numbers to terms in order of first occurrence. */
class TermNumbers {
  readonly terms: string[] = []
  readonly numbers = new Map<string, number>()

  of(terms: readonly string[]): Uint32Array {
    const numbers = new Uint32Array(terms.length)
    for (let i = 0; i < numbers.length; i += 1) numbers[i] = this.#numberOf(terms[i] ?? '')
    return numbers
  }

  #numberOf(term: string): number {
    const known = this.numbers.get(term)
    if (known !== undefined) return known
    const number = this.terms.push(term) - 1
    this.numbers.set(term, number)
    return number
  }
}

/** Counts the passages that contain each word. It yields at points where the caller may pause it. */
export function* countPassages({ terms, texts }: NumberedTexts): Generator<undefined, Uint32Array> {
  const counts = new Uint32Array(terms.length)
  for (const text of texts) {
    for (const term of text) counts[term] = (counts[term] ?? 0) + 1
    yield
  }
  return counts
}
