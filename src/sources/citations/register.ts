import type { OfferedSource } from '../../agent/tools.ts'
import { readerUrl } from '../library/source-url.ts'

/** The marks of one turn: a passage keeps its mark however often it is offered. */
export type SourceRegister = {
  /** Gives the passage a mark, `S1` for the first one of the turn. */
  offer(source: Omit<OfferedSource, 'mark'>): OfferedSource
  /** The passage offered under a mark such as `S1`, if any. */
  find(mark: string): OfferedSource | undefined
  /** The page of this service on which a place of the library is read. */
  readingAddress(ref: string): string
}

/**
 * @param offered what earlier steps of the turn offered, when a journal is taken up again.
 * @param origin stands before addresses within the service, which a client could not follow otherwise.
 */
export function createSourceRegister(offered: readonly OfferedSource[] = [], origin = ''): SourceRegister {
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

/** A text whose import names no address is read in this service: every citation can be followed. */
function addressOf({ url, ref }: Omit<OfferedSource, 'mark'>, origin: string): string {
  if (url === '') return readerUrl(origin, ref)
  return url.startsWith('/') ? origin + url : url
}

function passageKey(source: Omit<OfferedSource, 'mark'>): string {
  return JSON.stringify([source.ref, source.language, source.version, source.text])
}
