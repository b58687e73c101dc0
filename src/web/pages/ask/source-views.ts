import type { OfferedSource } from '../../../agent/tools.ts'
import type { Passage } from '../../../sources/library/types.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, withQuery } from '../../components/library-links.ts'
import { directionOf, languageName, markedText } from '../../components/texts.ts'
import { excerptOf } from '../previews/excerpt.ts'
import { results } from './answer-checks.ts'

/** Passages of the library by ref, in all their versions. */
export type Library = ReadonlyMap<string, readonly Passage[]>

type Span = { readonly start: number; readonly end: number }

/** A version of a passage on its card, with the quoted words. */
type Version = Pick<Passage, 'language' | 'version' | 'license' | 'text'> & {
  readonly spans: readonly Span[]
}

type Asked = { readonly id: string; readonly sessionId: string; readonly turn: number }

/** HTML id of a source's passage on the page. */
export function sourceAnchor(runId: string, n: number): string {
  return `${runId}-s${n}`
}

/** The sources of an answer, one card per passage: it opens to the passage in all languages, with the quoted words. */
export function sourceList(
  run: Asked,
  sources: readonly CitedSource[],
  library: Library,
  isOwn: boolean,
): Html {
  const cards = [...Map.groupBy(sources, ({ ref }) => ref).values()]
  return html`<aside class="sources" aria-label="Sources of answer ${run.turn}"><h3>Sources</h3>
<ol>${cards.map((cited) => sourceCard(run, cited, library.get(cited[0]?.ref ?? '') ?? [], isOwn))}</ol></aside>`
}

/** The passages that a running turn has read so far, one card each. */
export function passagesReadList(run: Asked, read: readonly OfferedSource[]): Html {
  if (read.length === 0) return nothing
  const cards = [...Map.groupBy(read, ({ ref }) => ref)]
  return html`<aside class="sources" aria-label="Passages read for answer ${run.turn}"><h3>Passages read</h3>
<ol>${cards.map(([ref, versions]) => readCard(ref, versions))}</ol></aside>`
}

function readCard(ref: string, versions: readonly OfferedSource[]): Html {
  const shown = versions.find(({ language }) => language === 'he') ?? versions[0]
  if (!shown) return nothing
  return html`<li class="source-card" data-ref="${ref}">
<p class="source-head"><span class="source-names">${refLink(ref)}${hebrewRef(ref, shown.heRef)}</span></p>
${excerpt({ ...shown, spans: [] })}</li>`
}

function sourceCard(
  run: Asked,
  cited: readonly CitedSource[],
  passages: readonly Passage[],
  isOwn: boolean,
): Html {
  const [first] = cited
  if (!first) return nothing
  const versions = versionsOf(cited, passages)
  const quoted = versions.find(({ spans }) => spans.length > 0) ?? versions[0]
  const anchors = cited.map(({ n }) => html`<span id="${sourceAnchor(run.id, n)}"></span>`)
  return html`<li class="source-card" data-ref="${first.ref}">
<p class="source-head">${cited.map(({ n }) => html`<span class="number">${n}</span>`)}
<span class="source-names">${isOfFile(first) ? fileName(first, isOwn) : refLink(first.ref)}
${hebrewRef(first.ref, first.he_ref)}
</span></p>
<p class="source-checks">${badges(cited)}</p>
${quoted ? excerpt(quoted) : nothing}
<details class="source"><summary>The passage<span class="sr"> ${first.ref}</span></summary>
<div class="passages">${anchors}${versionTabs(first, run.id, versions)}</div></details>
${actions(run, first, passages.length > 0, isOwn)}</li>`
}

function refLink(ref: string): Html {
  return html`<a class="ref" href="${readHref(ref)}" dir="auto">${ref}</a>`
}

function hebrewRef(ref: string, heRef: string): Html {
  if (heRef.trim() === '' || heRef === ref) return nothing
  return html` <span class="he-ref" lang="he" dir="rtl">${heRef}</span>`
}

/** One for each result that the checks of a passage have. */
function badges(cited: readonly CitedSource[]): Html {
  const checks = cited.flatMap(({ verification }) => verification)
  if (checks.length === 0) return html`<span class="badge">not checked</span>`
  const kinds = [...new Set(checks.map(({ result }) => result))]
  const shown = kinds.length > 1 ? kinds.filter((kind) => kind !== 'paraphrase') : kinds
  return html`${shown.map((kind) => {
    if (kind === 'paraphrase')
      return html`<span class="badge" title="The answer cites the passage without a quotation.">no quotation</span> `
    return html`<span class="badge ${kind}" title="${results[kind].meaning}">${results[kind].label}</span> `
  })}`
}

/** The cited versions as the model received them, then the others of the library; Hebrew first. */
function versionsOf(cited: readonly CitedSource[], passages: readonly Passage[]): readonly Version[] {
  const own = cited.map((source) => ({ ...source, spans: quotedIn(source) }))
  const others = passages
    .filter((passage) => cited.every((source) => isOther(passage, source)))
    .map((passage) => ({ ...passage, spans: [] }))
  return [...own, ...others].toSorted((a, b) => Number(b.language === 'he') - Number(a.language === 'he'))
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

function excerpt({ language, text, spans }: Version): Html {
  const cut = excerptOf(text, spans)
  const direction = directionOf(language)
  return html`<p class="excerpt text" lang="${language}" dir="${direction}">${markedText(cut.text, cut.spans)}</p>`
}

/** The passage in each language, and a choice of one of them if there are several. It works without scripts. */
function versionTabs({ n }: CitedSource, runId: string, versions: readonly Version[]): Html {
  const languages = [...Map.groupBy(versions, ({ language }) => language)]
  const name = `${sourceAnchor(runId, n)}-language`
  const tab = (value: string, label: string, isChosen: boolean) =>
    html`<label class="tab"><input type="radio" name="${name}" value="${value}"${isChosen ? html` checked` : nothing}>
${label}</label>`
  const tabs = html`<fieldset class="language-tabs"><legend class="sr">Language of the passage</legend>
${languages.map(([language], at) => tab(`${at}`, languageName(language), false))}${tab('all', 'All', true)}</fieldset>`
  return html`${languages.length > 1 && languages.length < 5 ? tabs : nothing}
${languages.map(([, own], at) => html`<div data-tab="${at}">${own.map(passageBlock)}</div>`)}`
}

function passageBlock({ language, version, license, text, spans }: Version): Html {
  const facts = [version, license === '' ? '' : `licence: ${license}`].filter((fact) => fact !== '')
  return html`<figure class="passage">
<blockquote class="text" lang="${language}" dir="${directionOf(language)}">${markedText(text, spans)}</blockquote>
<figcaption class="faint" dir="auto">${facts.join(' · ')}</figcaption></figure>`
}

const ofFile = /^\/v1\/files\/(file-\w+)\//

function isOfFile({ url }: CitedSource): boolean {
  return ofFile.test(url)
}

function fileName({ url, ref }: CitedSource, isOwn: boolean): Html {
  if (!isOwn) return html`<b dir="auto">${ref}</b>`
  return html`<a href="/files/${ofFile.exec(url)?.[1] ?? ''}" dir="auto">${ref}</a>`
}

/** What a reader can do with a passage: ask about it, copy it, and open where its text was taken from. */
function actions({ sessionId }: Asked, source: CitedSource, inLibrary: boolean, isOwn: boolean): Html {
  const isWeb = /^https?:\/\//i.test(source.url) && !source.url.includes('/library/read/')
  const link = inLibrary ? readHref(source.ref) : ''
  return html`<div class="source-actions">
${isOwn ? askLink(sessionId, source.ref) : nothing}
${isOwn && isOfFile(source) ? html`<a href="/files/${ofFile.exec(source.url)?.[1] ?? ''}">Open the file</a>` : nothing}
${isWeb ? html`<a href="${source.url}" rel="noopener noreferrer nofollow">Source of the text</a>` : nothing}
<span class="copy-row" role="group" aria-label="Copy ${source.ref}"><span class="faint" aria-hidden="true">Copy</span>
<button type="button" class="quiet" data-copy-passage>text</button>
<button type="button" class="quiet" data-copy-text="${source.ref}">ref</button>
${inLibrary ? html`<button type="button" class="quiet" data-copy-link="${link}">link</button>` : nothing}</span></div>`
}

function askLink(sessionId: string, ref: string): Html {
  const question = `What does ${ref} mean?`
  const href = withQuery('/ask', { session: sessionId, question })
  return html`<a href="${href}" data-ask="${question}" aria-label="Ask about this: ${ref}">Ask about this</a>`
}
