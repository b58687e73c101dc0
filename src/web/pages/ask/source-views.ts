import type { OfferedSource } from '../../../agent/tools.ts'
import type { Passage } from '../../../sources/library/types.ts'
import { fileIdOf, sourceKindOf } from '../../../turns/read/source-kind.ts'
import type { CitedSource, FirstCitation } from '../../../turns/run/run-events.ts'
import { type Html, html, joined, nothing } from '../../components/html.ts'
import { readHref, withQuery } from '../../components/library-links.ts'
import { namedLink, nameIn } from '../../components/names.ts'
import { directionOf, linkedText, markedText } from '../../components/texts.ts'
import type { CitationMark, RefMark } from '../../markdown/answer-marks.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { excerptOf } from '../previews/excerpt.ts'
import { addToSheetLink } from '../sheets/add-link.ts'

/** Passages of the library by ref, in all their versions. */
export type Library = ReadonlyMap<string, readonly Passage[]>

/** A ref as a link, with its range in a text, in UTF-16 units; `end` is exclusive. */
export type PlacedRef = RefMark & { readonly start: number; readonly end: number }

type Span = { readonly start: number; readonly end: number }

/** A version of a passage on its card, with the quoted words. */
type Version = Pick<Passage, 'language' | 'version' | 'license' | 'text'> & {
  readonly spans: readonly Span[]
  readonly refs: readonly PlacedRef[]
}

/** What the library has of the sources: their passages, and the refs in their texts. */
type SourceFacts = { readonly passages: Library; readonly refsIn: ReadonlyMap<string, readonly PlacedRef[]> }

type Asked = { readonly id: string; readonly sessionId: string; readonly turn: number }

/** HTML id of a source's passage on the page. */
export function sourceAnchor(runId: string, n: number): string {
  return `${runId}-s${n}`
}

/** The citation numbers of an answer, which lead to their sources. */
export function citationMarks(
  { answers }: Texts,
  runId: string,
  cited: readonly { readonly n: number }[],
): ReadonlyMap<number, CitationMark> {
  return new Map(
    cited.map(({ n }) => [n, { href: `#${sourceAnchor(runId, n)}`, label: answers.citation(n) }]),
  )
}

/** The sources of an answer, one card per passage: it opens to the passage in all languages, with the quoted words. */
export function sourceList(
  t: Texts,
  run: Asked,
  sources: readonly CitedSource[],
  library: SourceFacts,
  { label, isOwn }: { readonly label: string; readonly isOwn: boolean },
): Html {
  const cards = [...Map.groupBy(sources, (source) => `${sourceKindOf(source)} ${source.ref}`).values()]
  return html`<aside class="sources" aria-label="${label}" data-close="${t.common.close}"><h3>${t.answers.sources}</h3>
<ol class="plain-list">${cards.map((cited) => sourceCard(t, run, cited, library, isOwn))}</ol></aside>`
}

/** The passages that a running turn has read so far, one card each, with their numbers once they are cited. */
export function passagesReadList(
  t: Texts,
  run: Asked,
  read: readonly OfferedSource[],
  cited: readonly FirstCitation[],
): Html {
  const { answers } = t
  if (read.length === 0) return nothing
  const cards = [...Map.groupBy(read, ({ ref }) => ref)]
  const numbers = Map.groupBy(cited, ({ ref }) => ref)
  return html`<aside class="sources" aria-label="${answers.passagesReadFor(run.turn)}" data-close="${t.common.close}">
<h3>${answers.passagesReadTitle}</h3>
<ol class="plain-list">${cards.map(([ref, versions]) =>
    readCard(t, run, ref, versions, numbers.get(ref) ?? []),
  )}</ol></aside>`
}

function readCard(
  t: Texts,
  run: Asked,
  ref: string,
  versions: readonly OfferedSource[],
  cited: readonly FirstCitation[],
): Html {
  const shown = versions.find(({ language }) => language === 'he') ?? versions[0]
  if (!shown) return nothing
  return html`<li class="source-card" data-ref="${ref}">
<p class="row source-head">${cited.map(
    ({ n }) => html`<span class="number" id="${sourceAnchor(run.id, n)}">${n}</span>`,
  )}
<span class="source-names">${
    isOfFile(shown)
      ? html`<b dir="auto">${ref}</b> <span class="badge">${t.answers.file}</span>`
      : refLink(t, ref, shown.heRef)
  }</span></p>
${excerpt({ ...shown, spans: [] })}</li>`
}

function sourceCard(
  t: Texts,
  run: Asked,
  cited: readonly CitedSource[],
  library: SourceFacts,
  isOwn: boolean,
): Html {
  const [first] = cited
  if (!first) return nothing
  const isFile = isOfFile(first)
  const passages = isFile ? [] : (library.passages.get(first.ref) ?? [])
  const versions = versionsOf(cited, passages, library.refsIn)
  const quoted =
    versions.find(({ spans }) => spans.length > 0) ??
    versions.find(({ language }) => language === first.language)
  const anchors = cited.map(({ n }) => html`<span id="${sourceAnchor(run.id, n)}"></span>`)
  return html`<li class="source-card" data-ref="${first.ref}">
<p class="row source-head">${cited.map(({ n }) => html`<span class="number">${n}</span>`)}
<span class="source-names">${isFile ? fileName(t, first, isOwn) : refLink(t, first.ref, first.he_ref)}
</span></p>
<p class="source-checks">${badges(t, cited)}</p>
${quoted ? excerpt(quoted) : nothing}
<details class="source"><summary>${t.answers.passage}<span class="sr"> ${shownRef(t, first)}</span></summary>
<div class="passages">${anchors}${versionTabs(t, first, run.id, versions)}</div></details>
${actions(t, run, first, passages.length > 0, isOwn)}</li>`
}

function shownRef(t: Texts, { ref, he_ref: heRef }: CitedSource): string {
  return nameIn(t, { en: ref, he: heRef })
}

function refLink(t: Texts, ref: string, heRef: string): Html {
  return namedLink(t, readHref(ref), { en: ref, he: heRef }, 'ref')
}

/** One for each result that the checks of a passage have. */
function badges({ answers: { checks: texts } }: Texts, cited: readonly CitedSource[]): Html {
  const checks = cited.flatMap(({ verification }) => verification)
  if (checks.length === 0) return html`<span class="badge">${texts.unchecked}</span>`
  const kinds = [...new Set(checks.map(({ result }) => result))]
  const shown = kinds.length > 1 ? kinds.filter((kind) => kind !== 'paraphrase') : kinds
  return html`${shown.map((kind) => {
    if (kind === 'paraphrase')
      return html`<span class="badge" title="${texts.noQuotationMeaning}">${texts.noQuotation}</span> `
    const { label, meaning } = texts.results[kind]
    return html`<span class="badge ${kind}" title="${meaning}">${label}</span> `
  })}`
}

/** The cited versions as the model received them, then the others of the library; Hebrew first. */
function versionsOf(
  cited: readonly CitedSource[],
  passages: readonly Passage[],
  refsIn: SourceFacts['refsIn'],
): readonly Version[] {
  const own = cited.map((source) => ({ ...source, spans: quotedIn(source) }))
  const others = passages
    .filter((passage) => cited.every((source) => isOther(passage, source)))
    .map((passage) => ({ ...passage, spans: [] }))
  return [...own, ...others]
    .map((version) => ({ ...version, refs: refsIn.get(version.text) ?? [] }))
    .toSorted((a, b) => Number(b.language === 'he') - Number(a.language === 'he'))
}

function isOther(passage: Passage, source: CitedSource): boolean {
  return passage.language !== source.language || passage.version !== source.version
}

/** Where in the passage the quoted words are. */
function quotedIn({ verification }: CitedSource): readonly Span[] {
  return verification
    .flatMap(({ result, start, end }) =>
      (result === 'verbatim' || result === 'fuzzy') && start !== undefined && end !== undefined
        ? [{ start, end }]
        : [],
    )
    .sort((a, b) => a.start - b.start)
}

function excerpt({ language, text, spans }: Omit<Version, 'refs'>): Html {
  const cut = excerptOf(text, spans)
  const direction = directionOf(language)
  return html`<p class="excerpt text" lang="${language}" dir="${direction}">${markedText(cut.text, cut.spans)}</p>`
}

/** The passage in each language, and a choice of one of them if there are several. It works without scripts. */
function versionTabs(t: Texts, { n }: CitedSource, runId: string, versions: readonly Version[]): Html {
  const languages = [...Map.groupBy(versions, ({ language }) => language)]
  const name = `${sourceAnchor(runId, n)}-language`
  const tab = (value: string, label: string, isChosen: boolean) =>
    html`<label class="tab"><input type="radio" name="${name}" value="${value}"${isChosen ? html` checked` : nothing}>
${label}</label>`
  const tabs = html`<fieldset class="language-tabs"><legend class="sr">${t.answers.language}</legend>
${languages.map(([language], at) => tab(`${at}`, t.languageName(language), false))}
${tab('all', t.answers.allLanguages, true)}</fieldset>`
  return html`${languages.length > 1 && languages.length < 5 ? tabs : nothing}
${languages.map(([, own], at) => html`<div data-tab="${at}">${own.map((version) => passageBlock(t, version))}</div>`)}`
}

function passageBlock(t: Texts, { language, version, license, text, spans, refs }: Version): Html {
  const licence = license === '' ? '' : t.answers.licence(license)
  return html`<figure class="passage">
<blockquote class="text" lang="${language}" dir="${directionOf(language)}">${linkedText(text, refs, spans)}</blockquote>
<figcaption class="faint" dir="auto">${joined([t.library.versionName(version), licence])}</figcaption></figure>`
}

function isOfFile(source: Pick<CitedSource, 'url'>): boolean {
  return sourceKindOf(source) === 'file'
}

function fileHref(source: CitedSource): string {
  return `/files/${fileIdOf(source) ?? ''}`
}

function fileName({ answers }: Texts, source: CitedSource, isOwn: boolean): Html {
  const { ref } = source
  const name = isOwn
    ? html`<a href="${fileHref(source)}" dir="auto">${ref}</a>`
    : html`<b dir="auto">${ref}</b>`
  return html`${name} <span class="badge">${answers.file}</span>`
}

/** What a reader can do with a passage: ask about it, copy it, and open where its text was taken from. */
function actions(
  t: Texts,
  { sessionId }: Asked,
  source: CitedSource,
  inLibrary: boolean,
  isOwn: boolean,
): Html {
  const isWeb = /^https?:\/\//i.test(source.url) && !source.url.includes('/library/read/')
  const { ref, language, version } = source
  const name = shownRef(t, source)
  const versions = language === 'he' || language === 'en' ? { [language]: version } : {}
  return html`<div class="row source-actions">
${isOwn ? askLink(t, sessionId, name) : nothing}
${isOwn && inLibrary ? addToSheetLink(t, { ref, name, versions }) : nothing}
${isOwn && isOfFile(source) ? openFileLink(t, source, name) : nothing}
${isWeb ? originLink(t, source, name) : nothing}
${copyButtons(t, ref, name, inLibrary)}</div>`
}

function openFileLink({ answers }: Texts, source: CitedSource, name: string): Html {
  return html`<a href="${fileHref(source)}" aria-label="${answers.openFileOf(name)}">${answers.openFile}</a>`
}

function originLink({ answers }: Texts, { url }: CitedSource, name: string): Html {
  return html`<a href="${url}" rel="noopener noreferrer nofollow"
aria-label="${answers.sourceOfTextOf(name)}">${answers.sourceOfText}</a>`
}

/** Each button names what it copies and of which passage, because screen readers list them without the words around. */
function copyButtons({ answers, common }: Texts, ref: string, name: string, inLibrary: boolean): Html {
  const link = html`<button type="button" class="quiet small" data-copy-link="${readHref(ref)}"
aria-label="${answers.copyLinkOf(name)}">${answers.copyLink}</button>`
  return html`<span class="copy-row"><span class="faint" aria-hidden="true">${common.copy}</span>
<button type="button" class="quiet small" data-copy-passage
aria-label="${answers.copyTextOf(name)}">${answers.copyText}</button>
<button type="button" class="quiet small" data-copy-text="${name}"
aria-label="${answers.copyRefOf(name)}">${answers.copyRef}</button>${inLibrary ? link : nothing}</span>`
}

function askLink({ answers }: Texts, sessionId: string, ref: string): Html {
  const question = answers.aboutQuestion(ref)
  const href = withQuery('/ask', { session: sessionId, question })
  return html`<a href="${href}" data-ask="${question}" aria-label="${answers.askAboutRef(ref)}">${
    answers.askAbout
  }</a>`
}
