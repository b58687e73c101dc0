import { expect } from 'vitest'
import type { OfferedSource } from '../../src/agent/tools.ts'
import type { NamedRef } from '../../src/sources/citations/attribution/named-refs.ts'
import type { ComparedPassage, Stretch } from '../../src/sources/citations/comparison/stretch.ts'
import { verifyText } from '../../src/sources/citations/verify.ts'
import { fold } from '../../src/sources/text/fold.ts'

/** A source that a tool has offered, with these properties. */
export const offeredSource = (fields: Partial<OfferedSource>): OfferedSource => ({
  ...{ mark: 'S1', ref: 'Book 1', heRef: '', title: 'Book', work: 'Book', language: 'en', version: '' },
  ...{ license: '', url: '', text: '', ...fields },
})

/** Matches capitalised words before a number, which is enough for these tests. */
const plainRef =
  /(?<!\p{L})\p{Lu}\p{L}{2,30}(?:[,;]? (?:of )?\p{Lu}\p{L}{0,30}){0,6} \d{1,3}[a-d]?(?::\d{1,3}){0,3}/gu

/** Look-ups in a few passages, like those of the library; `asked` records the arguments. */
export function quoteLibrary(library: readonly ComparedPassage[]) {
  const asked = { refs: [] as string[], words: [] as string[], read: [] as string[] }
  const resolveRef = async (ref: string) => {
    asked.refs.push(ref)
    const heading = ref.replace(/[\d:\sa-d-]+$/, '')
    return {
      exists: library.some((passage) => passage.ref === ref),
      nearest: library.map((passage) => passage.ref).filter((known) => known.startsWith(heading)),
    }
  }
  return {
    asked,
    resolveRef,
    refsIn: (text: string): Promise<readonly NamedRef[]> =>
      Promise.all(
        [...text.matchAll(plainRef)].map(async ({ index: start, 0: written }) => {
          const { exists, nearest } = await resolveRef(written)
          const outcome = exists ? ('found' as const) : ('missing' as const)
          const ref = exists ? written : null
          return { start, end: start + written.length, written, asked: written, outcome, ref, nearest }
        }),
      ),
    worksIn: async () => [],
    isTitle: async (words: string) => library.some(({ title }) => title === words),
    candidates: async (words: string): Promise<readonly Stretch[]> => {
      asked.words.push(words)
      const wanted = new Set(fold(words).folded.split(' '))
      const shares = (text: string) =>
        fold(text)
          .folded.split(' ')
          .some((word) => wanted.has(word))
      return library.filter(({ text }) => shares(text)).map((passage) => ({ passages: [passage] }))
    },
    stretches: async (ref: string): Promise<readonly Stretch[]> => {
      asked.read.push(ref)
      return library.filter((passage) => passage.ref === ref).map((passage) => ({ passages: [passage] }))
    },
  }
}

/** Checks texts with one quotation each. */
export function quoteChecker(library: readonly ComparedPassage[]) {
  return async (text: string) => {
    const { quotes } = await verifyText(text, quoteLibrary(library))
    expect(quotes).toHaveLength(1)
    return quotes[0]
  }
}
