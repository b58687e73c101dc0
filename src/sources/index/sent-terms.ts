import { threadId } from 'node:worker_threads'
import type { IndexTerms } from './index-terms.ts'

/** The terms of texts as a thread sends them: of the list of terms only what the receiver does not have yet. */
export type SentTerms = Omit<IndexTerms, 'terms'> & {
  /** Names the list. */
  readonly list: string
  /** Where the added terms begin in the list. */
  readonly from: number
  readonly added: readonly string[]
}

let sent = { terms: [] as readonly string[], list: 0, count: 0 }

/** Prepares terms to be sent to the one receiver of this thread. All results must be sent, in order. */
export function sendTerms({ terms, ...others }: IndexTerms): SentTerms {
  if (terms !== sent.terms) sent = { terms, list: sent.list + 1, count: 0 }
  const from = sent.count
  sent.count = terms.length
  return { ...others, list: `${threadId}:${sent.list}`, from, added: terms.slice(from) }
}

/** Receives the terms of threads, and keeps each thread's list. */
export class TermReceiver {
  readonly #lists = new Map<string, string[]>()

  /**
   * Must be called with all that a thread sends, in order.
   * @throws Error when something was lost in between, because numbers would then name other terms.
   */
  receive({ list, from, added, ...others }: SentTerms): IndexTerms {
    if (from === 0) this.#begin(list)
    const terms = this.#lists.get(list)
    if (terms?.length !== from) throw new Error(`terms of the list ${list} before number ${from} were lost`)
    for (const term of added) terms.push(term)
    return { ...others, terms }
  }

  /** A thread that begins a list has ended its list before. */
  #begin(list: string): void {
    const [thread] = list.split(':')
    for (const known of this.#lists.keys()) if (known.startsWith(`${thread}:`)) this.#lists.delete(known)
    this.#lists.set(list, [])
  }
}
