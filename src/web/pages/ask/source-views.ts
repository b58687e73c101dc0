import type { QuoteCheck } from '../../../sources/citations/check.ts'
import type { Passage } from '../../../sources/library/types.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { markedText } from '../../components/texts.ts'
import { beginningOf } from './free-quotations.ts'

/** Passages of the library by ref, in all their versions. */
export type Library = ReadonlyMap<string, readonly Passage[]>

const results: Readonly<Record<QuoteCheck['result'], { readonly label: string; readonly meaning: string }>> =
  {
    verbatim: { label: 'word for word', meaning: 'The quotation stands in this passage word for word.' },
    fuzzy: { label: 'close', meaning: 'The quotation is close to the passage, but not word for word.' },
    misattributed: {
      label: 'in another passage',
      meaning: 'The quotation is not in this passage but in another one.',
    },
    not_found: { label: 'not found', meaning: 'The quotation is not in this passage.' },
    paraphrase: { label: 'no quotation', meaning: 'The answer names the passage without quoting it.' },
  }

/** HTML id of a source's passage on the page. */
export function sourceAnchor(runId: string, n: number): string {
  return `${runId}-s${n}`
}

/**
 * The sources of an answer. Each opens to its passage in all languages, with the quoted words highlighted.
 */
export function sourceList(runId: string, sources: readonly CitedSource[], library: Library): Html {
  return html`<aside class="sources" aria-label="Sources of this answer"><h3>Sources</h3>
<ol>${sources.map((source) => sourceItem(runId, source, library.get(source.ref) ?? []))}</ol></aside>`
}

function sourceItem(runId: string, source: CitedSource, passages: readonly Passage[]): Html {
  const kinds = [...new Set(source.verification.map((check) => check.result))]
  return html`<li><details class="source">
<summary><span class="number">${source.n}</span> <span class="source-names"><b dir="auto">${source.ref}</b>${hebrewRef(source)}
<span class="source-checks">${kinds.map((kind) => html`<span class="badge ${kind}" title="${results[kind].meaning}">${results[kind].label}</span> `)}${kinds.length === 0 ? html`<span class="badge">not checked</span>` : nothing}</span></span></summary>
<div class="passages" id="${sourceAnchor(runId, source.n)}">
${source.verification.map(checkLine)}
${passageBlock(source, markedText(source.text, quotedIn(source)))}
${passages.filter((passage) => isOther(passage, source)).map((passage) => passageBlock(passage, passage.text))}
<p class="source-links">${ways(source, passages.length > 0)}</p>
</div></details></li>`
}

function hebrewRef({ he_ref: heRef, ref }: CitedSource): Html {
  if (heRef.trim() === '' || heRef === ref) return nothing
  return html`<span class="he-ref" lang="he" dir="rtl">${heRef}</span>`
}

function checkLine(check: QuoteCheck): Html {
  const { label, meaning } = results[check.result]
  return html`<p class="check"><span class="badge ${check.result}">${label}</span> ${check.quote === undefined ? nothing : html`<q dir="auto">${beginningOf(check.quote)}</q> `}<span class="faint">${meaning}${check.found_ref === undefined ? nothing : html` It stands in <a href="${readHref(check.found_ref)}" dir="auto">${check.found_ref}</a>.`}${check.context_warning === undefined ? nothing : html` Left out beside it: <q dir="auto">${check.context_warning.words}</q>, which may turn its meaning.`}</span></p>`
}

/** Whether the passage is not the cited version. The cited version is shown as the model received it. */
function isOther(passage: Passage, source: CitedSource): boolean {
  return passage.language !== source.language || passage.version !== source.version
}

function passageBlock(
  of: { readonly language: string; readonly version: string; readonly license: string },
  text: string | Html,
): Html {
  const hebrew = of.language === 'he'
  const facts = [of.version, of.license === '' ? '' : `licence: ${of.license}`].filter((fact) => fact !== '')
  return html`<figure class="passage"><blockquote class="text"${hebrew ? html` lang="he" dir="rtl"` : html` dir="auto"`}>${text}</blockquote>
<figcaption class="faint" dir="auto">${facts.join(' · ')}</figcaption></figure>`
}

/** Ranges of the words in the passage that the answer quotes. */
function quotedIn({
  verification,
}: CitedSource): readonly { readonly start: number; readonly end: number }[] {
  return verification
    .flatMap(({ result, start, end }) =>
      (result === 'verbatim' || result === 'fuzzy') && start !== undefined && end !== undefined
        ? [{ start, end }]
        : [],
    )
    .sort((a, b) => a.start - b.start)
}

/** Links to the library, to the file that the model read, or to the origin of the text. */
function ways(source: CitedSource, inLibrary: boolean): readonly Html[] {
  const file = /^\/v1\/files\/(file-\w+)\//.exec(source.url)?.[1]
  return [
    inLibrary ? html`<a href="${readHref(source.ref)}">Read on in the library</a> ` : nothing,
    file === undefined ? nothing : html`<a href="/files/${file}">Open the file</a> `,
    /^https?:\/\//i.test(source.url) && !source.url.includes('/library/read/')
      ? html`<a href="${source.url}" rel="noopener noreferrer nofollow">Where the text comes from</a>`
      : nothing,
  ]
}
