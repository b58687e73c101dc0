/** The best of many, by a binary heap whose root is the worst one kept: most offers end at one comparison. */
export class TopList {
  readonly #limit: number
  readonly #scores: number[] = []
  readonly #documents: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A document without a positive score is never kept. */
  offer(score: number, document: number): void {
    if (score <= 0) return
    if (this.#scores.length < this.#limit) {
      this.#scores.push(score)
      this.#documents.push(document)
      this.#up(this.#scores.length - 1)
    } else if (this.#isWorse(0, score, document)) {
      this.#scores[0] = score
      this.#documents[0] = document
      this.#down(0)
    }
  }

  /** Documents, highest score first; of equal scores the lower number first. */
  sorted(): readonly number[] {
    return this.#documents
      .map((document, i) => ({ document, score: this.#scores[i] ?? 0 }))
      .sort((a, b) => b.score - a.score || a.document - b.document)
      .map(({ document }) => document)
  }

  #isWorse(place: number, score: number, document: number): boolean {
    const kept = this.#scores[place] ?? 0
    return kept < score || (kept === score && (this.#documents[place] ?? 0) > document)
  }

  #up(place: number): void {
    for (let child = place; child > 0; ) {
      const parent = (child - 1) >> 1
      if (this.#isWorse(parent, this.#scores[child] ?? 0, this.#documents[child] ?? 0)) {
        return
      }
      this.#swap(parent, child)
      child = parent
    }
  }

  #down(place: number): void {
    for (let parent = place; ; ) {
      const left = 2 * parent + 1
      let worst = parent
      for (const child of [left, left + 1]) {
        if (
          child < this.#scores.length &&
          this.#isWorse(child, this.#scores[worst] ?? 0, this.#documents[worst] ?? 0)
        )
          worst = child
      }
      if (worst === parent) return
      this.#swap(parent, worst)
      parent = worst
    }
  }

  #swap(one: number, other: number): void {
    const [score, document] = [this.#scores[one] ?? 0, this.#documents[one] ?? 0]
    this.#scores[one] = this.#scores[other] ?? 0
    this.#documents[one] = this.#documents[other] ?? 0
    this.#scores[other] = score
    this.#documents[other] = document
  }
}
