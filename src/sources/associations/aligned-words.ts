import { type Script, wordsOf } from '../text/tokens.ts'

/** The telling words of one passage in both languages, each once. */
export type AlignedTerms = { readonly he: readonly string[]; readonly en: readonly string[] }

/** Terms of one passage and language that are read: a longer passage tells little about which words belong together. */
const maxTerms = 300

/** Reads the terms of a passage. */
export function alignedTerms(he: string, en: string): AlignedTerms {
  return { he: termsOf(he, 'he'), en: termsOf(en, 'en') }
}

function termsOf(text: string, script: Script): readonly string[] {
  const terms = new Set<string>()
  for (const word of wordsOf(text)) {
    if (terms.size >= maxTerms) break
    if (word.telling && word.script === script && /\p{L}{2}/u.test(word.term)) terms.add(word.term)
  }
  return [...terms]
}

/** Passages in one language. */
export type NumberedTexts = {
  readonly terms: readonly string[]
  /** The place of each term in `terms`. */
  readonly numbers: ReadonlyMap<string, number>
  /** For each passage the places of its words in `terms`, each once. */
  readonly texts: readonly Uint32Array[]
}

/** Passages in both languages as numbers: as strings they would cost eight times the memory, and long collections. */
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

/** Numbers terms as they come. */
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

/** In how many passages each word stands. Yields where the work may be interrupted. */
export function* countPassages({ terms, texts }: NumberedTexts): Generator<undefined, Uint32Array> {
  const counts = new Uint32Array(terms.length)
  for (const text of texts) {
    for (const term of text) counts[term] = (counts[term] ?? 0) + 1
    yield
  }
  return counts
}
