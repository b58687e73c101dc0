import type { OfferedSource } from '../../agent/tools.ts'
import { readerUrl } from '../library/source-url.ts'

/** The marks of one turn. A passage keeps its mark if it is offered again. */
export type SourceMarks = {
  /** Assigns a mark to the passage: `S1` for the first one of the turn. */
  offer(source: Omit<OfferedSource, 'mark'>): OfferedSource
  /** Returns the passage with a mark such as `S1`, if there is one. */
  find(mark: string): OfferedSource | undefined
  /** URL of the reader page for a ref of the library. */
  readingAddress(ref: string): string
}

/**
 * @param offered passages offered in earlier steps, when the turn continues from a journal.
 * @param origin prefix of URLs within the service, so that clients can open them.
 */
export function createSourceMarks(offered: readonly OfferedSource[] = [], origin = ''): SourceMarks {
  const byMark = new Map<string, OfferedSource>()
  const byPassage = new Map<string, OfferedSource>()
  let highest = 0
  const remember = (source: OfferedSource): OfferedSource => {
    byMark.set(source.mark, source)
    byPassage.set(passageKey(source), source)
    highest = Math.max(highest, Number(source.mark.slice(1)))
    return source
  }
  for (const source of offered) remember(source)
  return {
    offer: (source) =>
      byPassage.get(passageKey(source)) ??
      remember({
        ...source,
        url: addressOf(source, origin),
        mark: `S${highest + 1}`,
      }),
    find: (mark) => byMark.get(mark),
    readingAddress: (ref) => readerUrl(origin, ref),
  }
}

/** A passage whose import has no URL gets the URL of the reader, so that every citation can be opened. */
function addressOf({ url, ref }: Omit<OfferedSource, 'mark'>, origin: string): string {
  if (url === '') return readerUrl(origin, ref)
  return url.startsWith('/') ? origin + url : url
}

function passageKey(source: Omit<OfferedSource, 'mark'>): string {
  return JSON.stringify([source.ref, source.language, source.version, source.text])
}

/** What a text has in brackets that could be read as marks or as numbers of citations: `[S1]`, `(S1, S2)`, `[3]`, `【3†source】`. */
const marklike =
  /[[【](\^? ?(?:[Ss]\d[^[\]【】\n]{0,60}|\d{1,3}(?: ?[,;–-] ?\d{1,3}){0,20} ?(?:†[^\]】\n]{0,30})?))[\]】]|\(([Ss]\d{1,4}(?:[,;] ?[Ss]\d{1,4}){0,5})\)/g

/** A text of the library as a model gets it: what could be marks becomes `{…}`, so that a quotation of it cites nothing. */
export function withoutMarklike(text: string): string {
  return text.replace(marklike, (_, square?: string, round?: string) => `{${square ?? round}}`)
}
