import type { QuoteCheck } from '../../../sources/citations/check.ts'
import type { Passage } from '../../../sources/library/types.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { markedText } from '../../components/texts.ts'
import { beginningOf } from './free-quotations.ts'

/** Passages of the library by ref, in all their versions. */
export type Library = ReadonlyMap<string, readonly Passage[]>

type Words = { readonly label: string; readonly meaning: string }

const results: Readonly<Record<QuoteCheck['result'], Words>> = {
  verbatim: { label: 'word for word', meaning: 'The passage has the quotation word for word.' },
  fuzzy: { label: 'close', meaning: 'The quotation is close to the passage, but not word for word.' },
  misattributed: { label: 'in another passage', meaning: 'Another passage has the quotation.' },
  not_found: { label: 'not found', meaning: 'The passage does not have the quotation.' },
  paraphrase: { label: 'no quotation', meaning: 'The answer cites the passage without a quotation.' },
}

/** HTML id of a source's passage on the page. */
export function sourceAnchor(runId: string, n: number): string {
  return `${runId}-s${n}`
}

/** The sources of an answer: each opens to its passage in all languages, with the quoted words marked. */
export function sourceList(runId: string, sources: readonly CitedSource[], library: Library): Html {
  return html`<aside class="sources" aria-label="Sources of this answer"><h3>Sources</h3>
<ol>${sources.map((source) => sourceItem(runId, source, library.get(source.ref) ?? []))}</ol></aside>`
}

function sourceItem(runId: string, source: CitedSource, passages: readonly Passage[]): Html {
  const others = passages.filter((passage) => isOther(passage, source))
  return html`<li><details class="source">
<summary><span class="number">${source.n}</span> <span class="source-names">
<b dir="auto">${source.ref}</b>${hebrewRef(source)}
<span class="source-checks">${badges(source)}</span></span></summary>
<div class="passages" id="${sourceAnchor(runId, source.n)}">
${source.verification.map(checkLine)}
${passageBlock(source, markedText(source.text, quotedIn(source)))}
${others.map((passage) => passageBlock(passage, passage.text))}
<p class="source-links">${sourceLinks(source, passages.length > 0)}</p>
</div></details></li>`
}

/** One for each result that the checks of a source have. */
function badges({ verification }: CitedSource): Html {
  const kinds = [...new Set(verification.map((check) => check.result))]
  if (kinds.length === 0) return html`<span class="badge">not checked</span>`
  return html`${kinds.map(
    (kind) =>
      html`<span class="badge ${kind}" title="${results[kind].meaning}">${results[kind].label}</span> `,
  )}`
}

function hebrewRef({ he_ref: heRef, ref }: CitedSource): Html {
  if (heRef.trim() === '' || heRef === ref) return nothing
  return html`<span class="he-ref" lang="he" dir="rtl">${heRef}</span>`
}

function checkLine({ result, quote, found_ref: found, context_warning: context }: QuoteCheck): Html {
  const { label, meaning } = results[result]
  const quoted = quote === undefined ? nothing : html`<q dir="auto">${beginningOf(quote)}</q> `
  const elsewhere =
    found === undefined ? nothing : html` It is in <a href="${readHref(found)}" dir="auto">${found}</a>.`
  const omitted =
    context && html` It leaves out <q dir="auto">${context.words}</q>, which may change the meaning.`
  return html`<p class="check"><span class="badge ${result}">${label}</span> ${quoted}
<span class="faint">${meaning}${elsewhere}${omitted}</span></p>`
}

/** Whether the passage is not the cited version. The cited version is shown as the model received it. */
function isOther(passage: Passage, source: CitedSource): boolean {
  return passage.language !== source.language || passage.version !== source.version
}

function passageBlock(
  of: { readonly language: string; readonly version: string; readonly license: string },
  text: string | Html,
): Html {
  const language = of.language === 'he' ? html`lang="he" dir="rtl"` : html`dir="auto"`
  const facts = [of.version, of.license === '' ? '' : `licence: ${of.license}`].filter((fact) => fact !== '')
  return html`<figure class="passage"><blockquote class="text" ${language}>${text}</blockquote>
<figcaption class="faint" dir="auto">${facts.join(' · ')}</figcaption></figure>`
}

/** Where in the passage the quoted words are. */
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

/** Links to the passage in the library, to the file that was read, and to where the text was taken from. */
function sourceLinks(source: CitedSource, inLibrary: boolean): readonly Html[] {
  const file = /^\/v1\/files\/(file-\w+)\//.exec(source.url)?.[1]
  const isWeb = /^https?:\/\//i.test(source.url) && !source.url.includes('/library/read/')
  return [
    inLibrary ? html`<a href="${readHref(source.ref)}">Read in the library</a> ` : nothing,
    file === undefined ? nothing : html`<a href="/files/${file}">Open the file</a> `,
    isWeb ? html`<a href="${source.url}" rel="noopener noreferrer nofollow">Source of the text</a>` : nothing,
  ]
}
