import { databaseFault, isTransient } from '../../../db/errors.ts'
import type { LibraryDatabase } from '../../../db/library/library-database.ts'
import { quotedRanges } from '../../../sources/citations/quotations/quotes.ts'
import { containedIn } from '../../../sources/citations/quotations/spans.ts'
import { hebrewTitles } from '../../../sources/library/catalogue.ts'
import { passagesAt } from '../../../sources/library/passages.ts'
import { type FoundRef, findRefs } from '../../../sources/refs/in-text/find-refs.ts'
import { TitledText } from '../../../sources/refs/in-text/titled-text.ts'
import { findWorkTitles } from '../../../sources/refs/in-text/works-in-text.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import { sourceKindOf } from '../../../turns/read/source-kind.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import { readHref, workHref } from '../../components/library-links.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { asWritten, type RefNames, type RefsShown, refNames, refsInTitles } from '../ref-names.ts'
import { checksOf } from './answer-checks.ts'
import type { PlacedRef } from './source-views.ts'
import type { LibraryFacts } from './turn-views.ts'

/** Maximum refs of one answer that become links. */
const maxRefs = 200

const noFacts: LibraryFacts = { passages: new Map(), refs: new Map(), refsIn: new Map(), names: asWritten }

/**
 * The library's passages at the sources of these turns, the refs that the answers name, and the names of all refs.
 * None while a separate library database does not answer: the conversation is readable without them.
 */
export function libraryFacts(
  t: Texts,
  library: LibraryDatabase,
  turns: readonly ConversationTurn[],
): Promise<LibraryFacts> {
  const ended = turns.filter(({ end }) => end !== undefined)
  return unlessOut(library, noFacts, async () => {
    const passages = await passagesAt(library.system, refsOfSources(ended))
    const named = await Promise.all(
      ended.map(async ({ run, answer, end }) => {
        const cited = new Set(end?.sources.filter(isOfLibrary).map(({ work }) => work))
        return [run.id, await refMarks(library, answer, cited)] as const
      }),
    )
    const cited = ended.flatMap(({ end }) => end?.sources.map(({ text }) => text) ?? [])
    const others = [...passages.values()].flat().map(({ text }) => text)
    const refsIn = await refsInTexts(library, [...new Set([...cited, ...others])])
    return { passages, refs: new Map(named), refsIn, names: await turnNames(t, library, turns) }
  })
}

/** Only the passages at the sources of these turns; none while a separate library database does not answer. */
export function sourcePassages(
  library: LibraryDatabase,
  turns: readonly ConversationTurn[],
): Promise<LibraryFacts['passages']> {
  return unlessOut(library, noFacts.passages, () => passagesAt(library.system, refsOfSources(turns)))
}

/** The Hebrew titles of the works that these turns cite; none while a separate library database does not answer. */
export function hebrewTitlesOfSources(
  library: LibraryDatabase,
  turns: readonly ConversationTurn[],
): Promise<ReadonlyMap<string, string>> {
  const works = turns.flatMap(({ end }) => end?.sources.filter(isOfLibrary).map(({ work }) => work) ?? [])
  return unlessOut(library, new Map<string, string>(), () => hebrewTitles(library.system, works))
}

function refsOfSources(turns: readonly ConversationTurn[]): readonly string[] {
  return [
    ...new Set(turns.flatMap(({ end }) => end?.sources.filter(isOfLibrary).map(({ ref }) => ref) ?? [])),
  ]
}

const isOfLibrary = (source: CitedSource) => sourceKindOf(source) === 'library'

/** The names of all refs that these turns show. */
export function turnNames(
  t: Texts,
  library: LibraryDatabase,
  turns: readonly ConversationTurn[],
): Promise<RefNames> {
  return namesOf(t, library, refsShown(t, turns))
}

/** The names of refs; the refs themselves while a separate library database does not answer. */
export function namesOf(t: Texts, library: LibraryDatabase, refs: RefsShown): Promise<RefNames> {
  return unlessOut(library, asWritten, () => refNames(t, library.system, refs))
}

/** The refs that the checks, the steps and the notes of turns show. */
function refsShown(t: Texts, turns: readonly ConversationTurn[]): RefsShown {
  return turns.flatMap(({ run, end, steps, doing }) => [
    ...(end
      ? checksOf(run.id, end).flatMap(({ ref, found_ref: found, isOfFile }) => (isOfFile ? [] : [ref, found]))
      : []),
    ...(end?.unknown_refs.map(({ nearest }) => nearest) ?? []),
    ...steps.flatMap(({ refs }) => refs),
    ...refsInTitles(t, [...steps.map(({ title }) => title), ...doing]),
  ])
}

/** No title, ref or sentence goes on across it. */
const separator = '\n\n\n\n'

/** The refs with a title and a number that each of these texts names. One look-up finds those of all texts. */
async function refsInTexts(
  { system }: LibraryDatabase,
  texts: readonly string[],
): Promise<LibraryFacts['refsIn']> {
  const found = await findRefs(system, texts.join(separator), { numbersOnly: true, nearest: false })
  // Another ref takes its title from the words before it, perhaps from those of another text.
  const complete = found.filter(({ written, asked }) => written.replace(/\s+/g, ' ') === asked)
  let from = 0
  return new Map(
    texts.map((text) => {
      const start = from
      from += text.length + separator.length
      const own = complete.filter((ref) => ref.start >= start && ref.end <= start + text.length)
      return [text, linksTo(own).map((ref) => ({ ...ref, start: ref.start - start, end: ref.end - start }))]
    }),
  )
}

/** The refs that the library has, as links. */
function linksTo(refs: readonly FoundRef[]): readonly PlacedRef[] {
  return refs.flatMap(({ outcome, ref, written, start, end }) =>
    outcome === 'found' && ref !== null ? [{ written, href: readHref(ref), start, end }] : [],
  )
}

/** What is read from the library; `without` while a separate library database does not answer. */
async function unlessOut<T>({ isSeparate }: LibraryDatabase, without: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const fault = databaseFault(error)
    if (isSeparate && fault !== undefined && isTransient(fault)) return without
    throw error
  }
}

/** The refs of a text as links. None while a separate library database does not answer. */
export function refsOf(library: LibraryDatabase, text: string): Promise<readonly PlacedRef[]> {
  return unlessOut(library, [], () => refMarks(library, text))
}

/**
 * The refs that a text names and the library has, and the first mention of each work without a number, in order.
 * @param cited titles of the works that the text cites.
 */
async function refMarks(
  { system }: LibraryDatabase,
  text: string,
  cited?: ReadonlySet<string>,
): Promise<readonly PlacedRef[]> {
  const titled = new TitledText(system, text)
  const [found, titles] = await Promise.all([findRefs(system, titled), findWorkTitles(system, titled, cited)])
  // A ref that the library does not have is no link, and neither is the title in it.
  // Words of a quotation only look like the title of a work.
  const isQuoted = containedIn(quotedRanges(text))
  const free = titles.filter(
    (title) => !isQuoted(title) && found.every((ref) => title.end <= ref.start || title.start >= ref.end),
  )
  const firsts = [...Map.groupBy(free, ({ work }) => work).values()].flatMap(([first]) => first ?? [])
  return [...linksTo(found), ...firsts.map(({ work, ...place }) => ({ ...place, href: workHref(work) }))]
    .toSorted((a, b) => a.start - b.start)
    .slice(0, maxRefs)
}
