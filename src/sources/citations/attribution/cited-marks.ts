import type { OfferedSource } from '../../../agent/tools.ts'

/** A source that the text cites. `n` is its number, from 1, in order of first use. */
export type NumberedSource = { readonly source: OfferedSource; readonly n: number }

/** Position of one number in the visible text, in UTF-16 units; `end` is exclusive. */
export type Annotation = { readonly n: number; readonly start: number; readonly end: number }

/** Further marks of a text are removed: a short range such as `[S1-S9]` expands to many numbers. */
const maxMarks = 5_000

/** How numbers appear: not at all, as `[1]`, or as a Markdown link to the source. */
export type NumberStyle = 'none' | 'numbers' | 'links'

/** Collects the cited sources, their numbers and the positions of the numbers in the visible text. */
export function createCitedMarks(find: (mark: string) => OfferedSource | undefined, style: NumberStyle) {
  const numbers = style !== 'none'
  const cited: NumberedSource[] = []
  const byMark = new Map<string, NumberedSource>()
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

  /** Returns the entry of a source. Its first use assigns the next number. */
  function entryOf(mark: string, source: OfferedSource): NumberedSource {
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
    /**
     * Records one use of a mark and shows its number, if it has one.
     * @returns whether the number was shown.
     */
    cite: (mark: string, brackets: '[]' | ''): boolean => {
      const source = find(mark)
      if (source === undefined) {
        unknown.push(mark)
        return false
      }
      if (annotations.length >= maxMarks) return false
      const entry = entryOf(mark, source)
      const start = shownLength
      if (style === 'links' && source.url !== '') show(`[${entry.n}](${linkTarget(source.url)})`)
      else if (numbers) show(brackets === '' ? String(entry.n) : `[${entry.n}]`)
      annotations.push({ n: entry.n, start, end: shownLength })
      return numbers
    },
    /** Records a source as cited although its number does not appear in the text. */
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

/** A URL that cannot end a Markdown link early. */
function linkTarget(url: string): string {
  return url.replace(
    /[\s()<>]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

export type CitedMarks = ReturnType<typeof createCitedMarks>
