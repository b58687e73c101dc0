import { makeWord, normaliseWord, type Word } from '../text/tokens.ts'
import { record, WordTable } from '../text/word-table.ts'
import { continuesName, expansionOf, groupTerm, nameStartOf, namesAt } from '../vocabulary/lookup.ts'
import {
  beginsPhrase,
  continuesPhrase,
  continuesPhraseOf,
  maxBetween,
  phraseTermsAt,
} from '../vocabulary/phrase-terms.ts'
import { maxFrequency } from './postings.ts'

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
const hebrew = 512
/** The bits above these are the number (from 1) of a word in `#beginnings`. */
const numberShift = 10

/** Words and terms that are kept: about 80 MB of ordinary words. */
const maxWords = 600_000

/**
 * Counts the terms of one text after the other, as `documentTerms` does, with words as numbers: a word that occurred in
 * an earlier text costs no string. Terms are numbered in order of their first occurrence.
 */
export class TermCounter {
  /** The terms of all texts, by their numbers. */
  readonly terms: string[] = []
  /** Number of the terms of the current text, and these terms. */
  seen = 0
  seenTerms = new Uint32Array(1024)
  /** Occurrences of each term in the current text, at most `maxFrequency`. Bytes, because more would not fit into caches. */
  frequencies = new Uint8Array(4096)

  readonly #table = new WordTable()
  readonly #numbers = new Map<string, number>()
  /** The words that begin names or phrases, or abbreviate something. */
  readonly #beginnings: Word[] = []
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
      if ((bits & stopWord) === 0) this.countTerm(records[word + record.value] as number)
      if ((bits & hasOthers) !== 0) this.#countOthers(at, bits)
    }
    return this.#count
  }

  /** Counts a term of the current text once more. */
  countTerm(term: number): void {
    const before = this.frequencies[term] as number
    if (before === 0) {
      if (this.seen === this.seenTerms.length)
        this.seenTerms = enlarged(this.seenTerms, new Uint32Array(this.seen * 2))
      this.seenTerms[this.seen] = term
      this.seen += 1
    }
    if (before < maxFrequency) this.frequencies[term] = before + 1
  }

  /** The number of a term. */
  numberOf(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.terms.push(term) - 1
    this.#numbers.set(term, number)
    if (number >= this.frequencies.length)
      this.frequencies = enlarged(this.frequencies, new Uint8Array(number * 2))
    return number
  }

  #add(written: string, at: number): void {
    const word = normaliseWord(written)
    let bits = word.term === '' ? skipped : bitsOf(word)
    if ((bits & hasOthers) !== 0) bits |= this.#beginnings.push(word) << numberShift
    const { records } = this.#table
    records[at + record.bits] = bits
    records[at + record.value] = word.term === '' ? -1 : this.numberOf(word.term)
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
    const first = this.#beginnings[(bits >> numberShift) - 1] as Word
    if ((bits & abbreviated) !== 0)
      for (const expanded of expansionOf(first.term)) this.countTerm(this.numberOf(expanded))
    if ((bits & abbreviatesName) !== 0 || ((bits & beginsName) !== 0 && this.#mayBeName(first, at)))
      for (const { group, script } of namesAt(this.#allWords(), at))
        this.countTerm(this.numberOf(groupTerm(group, script)))
    if ((bits & beginsPhraseBit) !== 0 && this.#mayBePhrase(first, at))
      for (const [term] of phraseTermsAt(this.#allWords(), at)) this.countTerm(this.numberOf(term))
  }

  #mayBeName(first: Word, at: number): boolean {
    const next = at + 1
    if (next === this.#count || !this.#continues(next, continuesNameBit)) return false
    return continuesName(this.#wordAt(next), first)
  }

  #mayBePhrase(first: Word, at: number): boolean {
    const end = Math.min(this.#count, at + 2 + maxBetween)
    for (let next = at + 1; next < end; next += 1) {
      if (this.#continues(next, continuesPhraseBit) && continuesPhraseOf(first, this.#termAt(next)))
        return true
      if ((this.#bitsAt(next) & stopWord) === 0) return false
    }
    return false
  }

  #termAt(at: number): string {
    const { records } = this.#table
    return this.terms[records[(this.#recordsOfText[at] as number) + record.value] as number] as string
  }

  #bitsAt(at: number): number {
    return this.#table.records[(this.#recordsOfText[at] as number) + record.bits] as number
  }

  #wordAt(at: number): Word {
    const bits = this.#bitsAt(at)
    const number = bits >> numberShift
    if (number > 0) return this.#beginnings[number - 1] as Word
    const term = this.#termAt(at)
    const script = (bits & hebrew) === 0 ? 'en' : 'he'
    return makeWord(term, script, (bits & abbreviated) !== 0, (bits & stopWord) !== 0)
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
    (word.script === 'he' ? hebrew : 0) |
    (word.abbreviated ? abbreviated : 0) |
    (start === 'abbreviated' ? abbreviatesName : 0) |
    (start === 'none' ? 0 : beginsName) |
    (beginsPhrase(word) ? beginsPhraseBit : 0)
  )
}

type Numbers = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

function enlarged<T extends Numbers>(from: T, to: T): T {
  to.set(from)
  return to
}
