import type { Executor } from '../../../db/client.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import type { ScripturePlace } from '../../refs/grammar/scripture-places.ts'
import { type FoundRef, findRefs } from '../../refs/in-text/find-refs.ts'
import { TitledText } from '../../refs/in-text/titled-text.ts'
import { type PassageRange, resolveQuery } from '../../refs/ref-lookup.ts'
import { citingPassages } from './citing-passages.ts'

/** Maximum length of a text that can ask for a place. */
const longestQuestion = 600

/** What is asked of the library. Its titles and refs are read at most once, however many steps of a search need them. */
export class Question extends TitledText {
  readonly #executor: Executor
  #place: Promise<PassageRange | undefined> | undefined
  #refs: Promise<readonly FoundRef[]> | undefined
  readonly #citing = new Map<string, Promise<readonly PassageRow[]>>()

  constructor(executor: Executor, text: string) {
    super(executor, text)
    this.#executor = executor
  }

  /** Returns the question itself if it is already one. */
  static override of(executor: Executor, text: string | Question): Question {
    return typeof text === 'string' ? new Question(executor, text) : text
  }

  /** Whether the text is short enough to ask for a place. */
  get isShort(): boolean {
    return this.text.length <= longestQuestion
  }

  /** The place, if the whole text is a ref. */
  place(): Promise<PassageRange | undefined> {
    this.#place ??= resolveQuery(this.#executor, this.text)
    return this.#place
  }

  /** The refs with numbers. */
  refs(): Promise<readonly FoundRef[]> {
    this.#refs ??= findRefs(this.#executor, this, { numbersOnly: true })
    return this.#refs
  }

  /** The passages that cite a place of the Bible or the Talmud, see `citingPassages`. */
  citing({ book, ...at }: ScripturePlace): Promise<readonly PassageRow[]> {
    const key = JSON.stringify([book.hebrew[0], at])
    const known = this.#citing.get(key) ?? citingPassages(this.#executor, { book, ...at })
    this.#citing.set(key, known)
    return known
  }
}
