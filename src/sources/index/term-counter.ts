import { normaliseWord, type Word } from '../text/tokens.ts'
import { record, WordTable } from '../text/word-table.ts'
import { continuesName, expansionOf, groupTerm, nameStartOf, namesAt } from '../vocabulary/lookup.ts'
import { beginsPhrase, continuesPhrase, maxBetween, phraseTermsAt } from '../vocabulary/phrase-terms.ts'

/** Bits of what is known of a word. Whether it continues something is found out when it is needed. */
const skipped = 1
const stopWord = 2
const abbreviated = 4
const abbreviatesName = 8
const beginsName = 16
const beginsPhraseBit = 32
const hasOthers = abbreviated | abbreviatesName | beginsName | beginsPhraseBit
const knowsContinuing = 64
const continuesNameBit = 128
const continuesPhraseBit = 256

/** Words and terms that are kept: about 80 MB of ordinary words. */
const maxWords = 300_000

/**
 * Counts the terms of one text after the other, as `countTerms` does, with words as numbers: a word that occurred in
 * an earlier text costs no string. Terms are numbered in order of their first occurrence.
 */
export class TermCounter {
  /** The terms of all texts, by their numbers. */
  readonly terms: string[] = []
  /** Number of the terms of the current text, and these terms. */
  seen = 0
  seenTerms = new Uint32Array(1024)
  /** Occurrences of each term in the current text. */
  frequencies = new Uint32Array(4096)

  readonly #table = new WordTable()
  readonly #numbers = new Map<string, number>()
  readonly #words: Word[] = []
  /** The words of the current text. */
  #count = 0
  #recordsOfText = new Int32Array(0)
  #wordsOfText: Word[] | undefined

  /** Whether it has so many words that the next text should go to a new counter. */
  get isFull(): boolean {
    return this.#table.size > maxWords || this.terms.length > maxWords
  }

  /** Begins a text and counts its terms. Returns its length in words, including function words. */
  countText(text: string): number {
    for (let i = 0; i < this.seen; i += 1) this.frequencies[this.seenTerms[i] as number] = 0
    this.seen = 0
    this.#wordsOfText = undefined
    this.#count = this.#withoutSkipped(this.#table.read(text, (written, at) => this.#add(written, at)))
    const { records } = this.#table
    for (let at = 0; at < this.#count; at += 1) {
      const word = this.#recordsOfText[at] as number
      const bits = records[word + record.bits] as number
      if ((bits & stopWord) === 0) this.countTerm(records[word + record.term] as number)
      if ((bits & hasOthers) !== 0) this.#countOthers(at, bits)
    }
    return this.#count
  }

  /** Counts a term of the current text once more. */
  countTerm(term: number): void {
    const before = this.frequencies[term] as number
    if (before === 0) {
      if (this.seen === this.seenTerms.length) this.seenTerms = enlarged(this.seenTerms)
      this.seenTerms[this.seen] = term
      this.seen += 1
    }
    this.frequencies[term] = before + 1
  }

  /** The number of a term. */
  numberOf(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.terms.push(term) - 1
    this.#numbers.set(term, number)
    if (number >= this.frequencies.length) this.frequencies = enlarged(this.frequencies)
    return number
  }

  #add(written: string, at: number): void {
    const word = normaliseWord(written)
    this.#words.push(word)
    const { records } = this.#table
    records[at + record.bits] = word.term === '' ? skipped : bitsOf(word)
    if (word.term !== '' && !word.isStopWord) records[at + record.term] = this.numberOf(word.term)
  }

  #withoutSkipped(count: number): number {
    const { words, records } = this.#table
    this.#recordsOfText = words
    let kept = 0
    for (let i = 0; i < count; i += 1) {
      const word = words[i] as number
      if (records[word + record.bits] === skipped) continue
      words[kept] = word
      kept += 1
    }
    return kept
  }

  /** Counts what the word at `at` abbreviates, and the names and phrases that begin with it. */
  #countOthers(at: number, bits: number): void {
    const words = () => this.#allWords()
    if ((bits & abbreviated) !== 0)
      for (const expanded of expansionOf(words()[at]?.term ?? '')) this.countTerm(this.numberOf(expanded))
    const mayBeName =
      (bits & beginsName) !== 0 && at + 1 < this.#count && this.#continues(at + 1, continuesNameBit)
    if (mayBeName || (bits & abbreviatesName) !== 0)
      for (const { group, script } of namesAt(words(), at))
        this.countTerm(this.numberOf(groupTerm(group, script)))
    if ((bits & beginsPhraseBit) !== 0 && this.#mayBePhrase(at))
      for (const [term] of phraseTermsAt(words(), at)) this.countTerm(this.numberOf(term))
  }

  #mayBePhrase(at: number): boolean {
    const end = Math.min(this.#count, at + 2 + maxBetween)
    for (let next = at + 1; next < end; next += 1) {
      if (this.#continues(next, continuesPhraseBit)) return true
      if ((this.#bitsAt(next) & stopWord) === 0) return false
    }
    return false
  }

  #bitsAt(at: number): number {
    return this.#table.records[(this.#recordsOfText[at] as number) + record.bits] as number
  }

  #wordAt(at: number): Word {
    return this.#words[
      this.#table.records[(this.#recordsOfText[at] as number) + record.index] as number
    ] as Word
  }

  #continues(at: number, bit: number): boolean {
    let bits = this.#bitsAt(at)
    if ((bits & knowsContinuing) === 0) {
      const word = this.#wordAt(at)
      bits |= knowsContinuing
      if (continuesName(word)) bits |= continuesNameBit
      if (continuesPhrase(word)) bits |= continuesPhraseBit
      this.#table.records[(this.#recordsOfText[at] as number) + record.bits] = bits
    }
    return (bits & bit) !== 0
  }

  #allWords(): readonly Word[] {
    if (this.#wordsOfText) return this.#wordsOfText
    const words: Word[] = []
    for (let at = 0; at < this.#count; at += 1) words.push(this.#wordAt(at))
    this.#wordsOfText = words
    return words
  }
}

function bitsOf(word: Word): number {
  const start = nameStartOf(word)
  return (
    (word.isStopWord ? stopWord : 0) |
    (word.abbreviated ? abbreviated : 0) |
    (start === 'abbreviated' ? abbreviatesName : 0) |
    (start === 'none' ? 0 : beginsName) |
    (beginsPhrase(word) ? beginsPhraseBit : 0)
  )
}

function enlarged(from: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(from.length * 2)
  to.set(from)
  return to
}
