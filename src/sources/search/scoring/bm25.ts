import type { DocumentRanges } from '../../index/document-ranges.ts'
import { blockSize, classLengths } from '../../index/postings.ts'
import type { Signals } from './signals.ts'

/**
 * Parameters of BM25 (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond").
 * Saturation is the usual value. Length counts less than usual, because importers cut texts to similar lengths and
 * shorter ones are not better.
 */
const saturation = 1.2
const lengthWeight = 0.5

export type CollectionStats = {
  readonly documents: number
  readonly averageLength: number
}

/** Inverse document frequency of a term with `documents` documents; never negative. */
export function inverseFrequency(documents: number, collection: CollectionStats): number {
  const all = Math.max(collection.documents, documents)
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5))
}

/** The BM25 factor of a term that occurs `frequency` times in a document of `length` words. */
export function termSaturation(frequency: number, length: number, collection: CollectionStats): number {
  const relative = length / Math.max(1, collection.averageLength)
  return (
    (frequency * (saturation + 1)) / (frequency + saturation * (1 - lengthWeight + lengthWeight * relative))
  )
}

/** The documents of one block, with the frequency of a concept in each. */
type ConceptBlock = {
  readonly locals: Uint16Array
  readonly frequencies: Float32Array
  readonly lengthClasses: Uint8Array
}

/** A stored posting list: the packed postings of one term in one block, and the weight of an occurrence. */
export type PostingList = {
  readonly block: number
  readonly weight: number
  readonly postings: Uint32Array
}

export type ScoredDocument = {
  readonly doc: number
  readonly score: number
  /** The parts of the score, once it has several. */
  readonly signals?: Signals
}

/** The documents of a concept in all blocks. Its terms are merged, so they count as one term. */
export type ConceptPostings = {
  readonly blocks: ReadonlyMap<number, ConceptBlock>
  /** Number of documents that counts as the frequency of the concept. */
  readonly documents: number
  /** Weight of the concept relative to others. */
  readonly weight: number
}

const frequencyOf = new Float32Array(blockSize)
const lengthOf = new Uint8Array(blockSize)

/** Merges the posting rows of a concept's terms. */
export function mergeConcept(rows: readonly PostingList[], weight: number): ConceptPostings {
  const blocks = new Map<number, ConceptBlock>()
  let documents = 0
  for (const [block, inBlock] of Map.groupBy(rows, (row) => row.block)) {
    const merged = inBlock.length === 1 && inBlock[0] ? unpack(inBlock[0]) : mergeBlock(inBlock)
    blocks.set(block, merged)
    documents += merged.locals.length
  }
  return { blocks, documents, weight }
}

function unpack(row: PostingList): ConceptBlock {
  const { postings, weight } = row
  const size = postings.length
  const locals = new Uint16Array(size)
  const frequencies = new Float32Array(size)
  const lengthClasses = new Uint8Array(size)
  for (let i = 0; i < size; i += 1) {
    const posting = postings[i] ?? 0
    locals[i] = posting & 0xffff
    frequencies[i] = ((posting >>> 16) & 0xff) * weight
    lengthClasses[i] = posting >>> 24
  }
  return { locals, frequencies, lengthClasses }
}

function mergeBlock(rows: readonly PostingList[]): ConceptBlock {
  const most = rows.reduce((sum, row) => sum + row.postings.length, 0)
  const touched = new Uint16Array(most)
  let size = 0
  for (const { postings, weight } of rows) {
    for (let i = 0; i < postings.length; i += 1) {
      const posting = postings[i] ?? 0
      const local = posting & 0xffff
      const before = frequencyOf[local] ?? 0
      if (before === 0) {
        touched[size] = local
        size += 1
        lengthOf[local] = posting >>> 24
      }
      frequencyOf[local] = before + ((posting >>> 16) & 0xff) * weight
    }
  }
  const locals = touched.slice(0, size)
  const frequencies = new Float32Array(size)
  const lengthClasses = new Uint8Array(size)
  for (let i = 0; i < size; i += 1) {
    const local = locals[i] ?? 0
    frequencies[i] = frequencyOf[local] ?? 0
    lengthClasses[i] = lengthOf[local] ?? 0
    frequencyOf[local] = 0
  }
  return { locals, frequencies, lengthClasses }
}

const scores = new Float64Array(blockSize)

/** The documents of the current block that have a score. */
const touched = new Uint16Array(blockSize)

/**
 * Returns the `top` best documents by BM25 over the concepts, best first; ties in order of document numbers.
 * @param ranges the only documents to consider; undefined for all.
 */
export function rankByBm25(
  concepts: readonly ConceptPostings[],
  collection: CollectionStats,
  top: number,
  ranges?: DocumentRanges,
): ScoredDocument[] {
  const blocks = [...new Set(concepts.flatMap((concept) => [...concept.blocks.keys()]))].sort((a, b) => a - b)
  const weights = concepts.map((concept) => concept.weight * inverseFrequency(concept.documents, collection))
  const damping = Float64Array.from(
    classLengths,
    (length) =>
      saturation * (1 - lengthWeight + (lengthWeight * length) / Math.max(1, collection.averageLength)),
  )
  const best = new TopDocuments(top)
  for (const block of blocks) {
    let count = 0
    concepts.forEach((concept, index) => {
      const postings = concept.blocks.get(block)
      if (postings) count = addScores(postings, (weights[index] ?? 0) * (saturation + 1), damping, count)
    })
    for (let i = 0; i < count; i += 1) {
      const local = touched[i] as number
      const score = scores[local] as number
      scores[local] = 0
      const doc = block * blockSize + local
      if (score > best.threshold && (ranges === undefined || inRanges(doc, ranges))) best.add(doc, score)
    }
  }
  return best.sorted()
}

/**
 * Adds the scores of a concept in one block.
 * @param count number of `touched` documents before.
 * @returns their number after it.
 */
function addScores(concept: ConceptBlock, weight: number, damping: Float64Array, count: number): number {
  const { locals, frequencies, lengthClasses } = concept
  let size = count
  for (let i = 0; i < locals.length; i += 1) {
    const local = locals[i] as number
    const frequency = frequencies[i] as number
    const before = scores[local] as number
    if (before === 0) {
      touched[size] = local
      size += 1
    }
    scores[local] =
      before + (weight * frequency) / (frequency + (damping[lengthClasses[i] as number] as number))
  }
  return size
}

export function inRanges(doc: number, ranges: DocumentRanges): boolean {
  let low = 0
  let high = ranges.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (!range) return false
    if (doc < range[0]) high = middle - 1
    else if (doc > range[1]) low = middle + 1
    else return true
  }
  return false
}

/** Collects the best documents. The list is cut back whenever it has doubled. */
class TopDocuments {
  readonly #top: number
  #kept: ScoredDocument[] = []
  /** Minimum score of a document that can still enter the list. */
  threshold = 0

  constructor(top: number) {
    this.#top = top
  }

  add(doc: number, score: number): void {
    this.#kept.push({ doc, score })
    if (this.#kept.length >= 2 * this.#top + 64) {
      this.#kept = this.sorted()
      this.threshold = this.#kept.at(-1)?.score ?? 0
    }
  }

  sorted(): ScoredDocument[] {
    return this.#kept.toSorted((a, b) => b.score - a.score || a.doc - b.doc).slice(0, this.#top)
  }
}
