import type { OfferedSource } from '../../../agent/tools.ts'

/** One source that the text cites; `n` is its number, given by first use from 1 on. */
export type Cited = { readonly source: OfferedSource; readonly n: number }

/** The place of one numbered mark in the visible text, in UTF-16 units, `end` exclusive. */
export type Annotation = { readonly n: number; readonly start: number; readonly end: number }

/** Marks beyond are left out: a range of marks is much shorter than the numbers that are shown for it. */
const maxMarks = 5_000

/** Numbers, positions and the text that is ready to be sent. */
export function createCitedMarks(find: (mark: string) => OfferedSource | undefined, numbers: boolean) {
  const cited: Cited[] = []
  const byMark = new Map<string, Cited>()
  const unknown: string[] = []
  const annotations: Annotation[] = []
  let ready: string[] = []
  let shownLength = 0
  let last = '\n'

  function show(text: string): void {
    if (text === '') return
    ready.push(text)
    shownLength += text.length
    last = text.slice(-1)
  }

  /** The entry of a source, which gets the next number the first time. */
  function entryOf(mark: string, source: OfferedSource): Cited {
    const entry = byMark.get(mark) ?? { source, n: cited.length + 1 }
    if (!byMark.has(mark)) cited.push(entry)
    byMark.set(mark, entry)
    return entry
  }

  return {
    cited,
    unknown,
    annotations,
    show,
    isShown: (mark: string): boolean => numbers && annotations.length < maxMarks && find(mark) !== undefined,
    atLineStart: (): boolean => last === '\n',
    /** Counts one use of a mark and shows its number, if it has one. @returns whether it was shown. */
    cite: (mark: string, brackets: '[]' | ''): boolean => {
      const source = find(mark)
      if (source === undefined) {
        unknown.push(mark)
        return false
      }
      if (annotations.length >= maxMarks) return false
      const entry = entryOf(mark, source)
      const start = shownLength
      if (numbers) show(brackets === '' ? String(entry.n) : `[${entry.n}]`)
      annotations.push({ n: entry.n, start, end: shownLength })
      return numbers
    },
    /** Counts a source as cited that has no number in the text. */
    mention: (mark: string): void => {
      const source = find(mark)
      if (source !== undefined) entryOf(mark, source)
    },
    take: (): string => {
      const text = ready.join('')
      ready = []
      return text
    },
  }
}

export type CitedMarks = ReturnType<typeof createCitedMarks>
