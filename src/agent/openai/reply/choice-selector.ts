import { isRecord, type Json } from '../../json.ts'

const NONE: readonly Json[] = []

function indexOf(choice: Json): number | undefined {
  const { index } = choice
  if (typeof index === 'number') return index
  return typeof index === 'string' && index !== '' ? Number(index) : undefined
}

/**
 * Selects the reply among the choices of the chunks. One was asked for, but servers number it as they like: from 1,
 * not at all, or one higher in each chunk. Another index is a second choice, which is not read, once any index has
 * come twice.
 */
export class ChoiceSelector {
  #first: number | undefined
  #last = 0
  #stage: 'open' | 'single' | 'growing' = 'open'
  /** Choices that a third index shows to be parts of one reply. */
  #undecided: Json[] = []

  /** Returns the parts of the reply that are known after this chunk. */
  select(choices: unknown): readonly Json[] {
    const found = Array.isArray(choices) ? this.#oneOf(choices) : NONE
    const [choice] = found
    const index = choice && indexOf(choice)
    if (!choice || index === undefined || this.#stage === 'growing') return found
    if (this.#first === undefined) {
      this.#first = index
      this.#last = index
      return found
    }
    if (index === this.#first) {
      this.#stage = 'single'
      this.#undecided = []
      return found
    }
    if (this.#stage === 'single' || index !== this.#last + 1) return NONE
    this.#last = index
    this.#undecided.push(choice)
    if (this.#undecided.length === 1) return NONE
    this.#stage = 'growing'
    return this.rest()
  }

  /** Returns the parts that only the end of the reply decides. */
  rest(): readonly Json[] {
    const rest = this.#undecided
    this.#undecided = []
    return rest
  }

  /** The choice of a chunk, as a list. A list of one is returned as it is, because nearly every chunk has one. */
  #oneOf(choices: readonly unknown[]): readonly Json[] {
    const records = choices.every(isRecord) ? choices : choices.filter(isRecord)
    if (records.length < 2) return records
    this.#stage = 'single'
    const wanted = this.#first ?? 0
    return [records.find((choice) => indexOf(choice) === wanted) ?? records[0] ?? {}]
  }
}
