import type { Passage } from '../../../sources/library/types.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import {
  type ExchangeChecks,
  printable,
  type Sheet,
  type SheetLanguage,
  type SheetSource,
  type SheetVersion,
} from '../../../workspace/sheets/sheet.ts'
import { withAbsoluteLinks } from './conversation-markdown.ts'

type Text = Pick<Passage, 'work' | 'language' | 'version' | 'license' | 'url' | 'text'>

/** How a file of a conversation is written. */
export type ConversationStyle = {
  readonly language: SheetLanguage
  /** What stands above the first question. */
  readonly intro: string
  readonly checksOf: (turn: ConversationTurn) => ExchangeChecks
  /** The address of this service. */
  readonly origin: string
  /** Hebrew titles of works. */
  readonly heWorks: ReadonlyMap<string, string>
}

/**
 * A conversation as a sheet, for Word and PDF: questions and answers, then each cited passage once, in Hebrew and
 * English. The numbers in the answers are those of the passages in the sheet.
 */
export function conversationSheet(
  name: string,
  turns: readonly ConversationTurn[],
  passages: ReadonlyMap<string, readonly Passage[]>,
  { language, intro, heWorks, checksOf, origin }: ConversationStyle,
): Sheet {
  const cited = turns.flatMap(({ end }) => end?.sources ?? [])
  const byRef = [...Map.groupBy(cited, ({ ref }) => ref)]
  const numbers = new Map(byRef.map(([ref], at) => [ref, at + 1]))
  return {
    language,
    title: printable(name),
    intro,
    exchanges: turns.map((turn) => ({
      question: printable(turn.question),
      checks: checksOf(turn),
      answer: printable(withAbsoluteLinks(renumbered(turn, numbers), origin)),
    })),
    sources: byRef.flatMap(([ref, own]) => sourceOf(own, passages.get(ref) ?? [], heWorks) ?? []),
  }
}

/** The answer with the numbers of the sheet. */
function renumbered({ answer, end }: ConversationTurn, numbers: ReadonlyMap<string, number>): string {
  const own = new Map(end?.sources.map(({ n, ref }) => [n, numbers.get(ref)]))
  return answer.replace(/\[(\d{1,3})\]/g, (written, n: string) => {
    const number = own.get(Number(n))
    return number === undefined ? written : `[${number}]`
  })
}

function sourceOf(
  cited: readonly CitedSource[],
  passages: readonly Passage[],
  heWorks: ConversationStyle['heWorks'],
): SheetSource | undefined {
  const [first] = cited
  if (!first) return undefined
  // A cited version comes before the others of the library.
  const all: readonly Text[] = [...cited, ...passages]
  const hebrew = all.find(({ language }) => language === 'he')
  const other = all.find(({ language }) => language === 'en') ?? all.find(({ language }) => language !== 'he')
  return {
    heading: '',
    note: '',
    ref: first.ref,
    heRef: first.he_ref,
    rows: [
      {
        label: { he: '', en: '' },
        texts: { he: printable(hebrew?.text ?? ''), en: printable(other?.text ?? '') },
      },
    ],
    versions: [
      ...(hebrew ? [versionOf(hebrew, 'he', heWorks)] : []),
      ...(other ? [versionOf(other, 'en', heWorks)] : []),
    ],
  }
}

function versionOf(
  { work, version, license, url }: Text,
  language: SheetLanguage,
  heWorks: ConversationStyle['heWorks'],
): SheetVersion {
  return {
    language,
    work,
    heWork: heWorks.get(work) ?? '',
    title: version,
    license,
    url: /^https?:/.test(url) ? url : '',
  }
}
