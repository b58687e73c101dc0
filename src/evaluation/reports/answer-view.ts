import { creditsText } from '../../billing/credits.ts'
import type { QuoteCheck } from '../../sources/citations/check.ts'
import type { CitedSource } from '../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../web/components/html.ts'
import { directionOf, markedText, sourceLink } from '../../web/components/texts.ts'
import { showMarkdown } from '../../web/markdown/shown-markdown.ts'
import type { ScoredQuestion } from '../scores/scored-question.ts'
import { secondsText } from './rows.ts'

const results: Readonly<Record<QuoteCheck['result'], string>> = {
  verbatim: 'word for word',
  edited: 'edited',
  fuzzy: 'close',
  translation: 'translation',
  misattributed: 'in another passage',
  from_tool: 'from a tool',
  not_found: 'not found',
  paraphrase: 'no quotation',
}

/** The answer of a question, or why there is none. `prefix` keeps the anchors of two answers apart. */
export async function answerView(question: ScoredQuestion, prefix: string): Promise<Html> {
  const { answer, error } = question
  const failure = error
    ? html`<p class="why"><span class="badge failed">failed</span> ${error.message}</p>`
    : nothing
  if (!answer || answer.text === '') return failure
  const links = new Map(
    answer.sources.map(({ n }) => [n, { href: `#${anchor(question, prefix, n)}`, label: `Source ${n}` }]),
  )
  return html`${failure}<div class="answer" dir="auto">${await showMarkdown(answer.text, { citations: links })}</div>${looseQuotations(
    answer.quotations ?? [],
  )}${problems(question)}`
}

/** The sources of an answer with their texts, and the results of its quotations. */
export function sourcesView({ id, answer }: ScoredQuestion, prefix: string): Html {
  if (!answer) return nothing
  if (answer.sources.length === 0) return html`<p class="soft">No source is cited.</p>`
  return html`<ol class="sources">${answer.sources.map((source) => sourceItem(source, anchor({ id }, prefix, source.n)))}</ol>`
}

/** Cost and time of the answer. */
export function footOf({
  cost_micros: cost,
  took_ms: took,
  run_id: run,
  outcome,
  note,
}: ScoredQuestion): Html {
  const facts =
    outcome === 'not_applicable' || outcome === 'not_asked'
      ? []
      : [`${creditsText(BigInt(cost))} credits`, secondsText(took), run ?? 'no run']
  return html`<p class="foot">${facts.join(' · ')}${note === '' ? nothing : html` <span dir="auto">${note}</span>`}</p>`
}

function anchor({ id }: Pick<ScoredQuestion, 'id'>, prefix: string, n: number): string {
  return `${prefix}${encodeURIComponent(id)}-s${n}`
}

function sourceItem(source: CitedSource, id: string): Html {
  const kinds = [...new Set(source.verification.map(({ result }) => result))]
  const facts = [source.version, source.license].filter((fact) => fact !== '').join(' · ')
  const spans = source.verification.flatMap(({ result, start, end }) =>
    /^(?:verbatim|edited|fuzzy)$/.test(result) && start !== undefined && end !== undefined
      ? [{ start, end }]
      : [],
  )
  return html`<li id="${id}"><details><summary>[${source.n}] <b dir="auto">${source.ref}</b> ${hebrewRef(source)}
${kinds.map((kind) => html`<span class="badge ${kind}">${results[kind]}</span> `)}</summary>
<div class="passage">${source.verification.map(sourceCheck)}
<blockquote lang="${source.language}" dir="${directionOf(source.language)}">${markedText(
    source.text,
    spans.toSorted((a, b) => a.start - b.start),
  )}</blockquote>
<p class="soft">${facts} ${/^https?:/i.test(source.url) ? sourceLink(source.url, 'Source of the text') : nothing}</p></div></details></li>`
}

function hebrewRef({ he_ref: heRef, ref }: CitedSource): Html {
  return heRef.trim() === '' || heRef === ref ? nothing : html`<span lang="he" dir="rtl">${heRef}</span>`
}

/** The check of a quotation of a source. One that is word for word is highlighted in the passage instead. */
function sourceCheck(check: QuoteCheck): Html {
  return check.result === 'verbatim' ? nothing : checkLine(check)
}

function checkLine({ result, quote, found_ref: found, original }: QuoteCheck): Html {
  if (quote === undefined) return nothing
  const elsewhere = found === undefined ? nothing : html` It is in <bdi>${found}</bdi>.`
  const differs =
    (result === 'fuzzy' || result === 'edited') && original !== undefined
      ? html` The text has <q dir="auto">${original}</q>.`
      : nothing
  return html`<p class="why"><span class="badge ${result}">${results[result]}</span> <q dir="auto">${quote}</q>${elsewhere}${differs}</p>`
}

function looseQuotations(quotations: readonly QuoteCheck[]): Html {
  if (quotations.length === 0) return nothing
  return html`<p class="why soft">Quotations without a citation:</p>${quotations.map(checkLine)}`
}

function problems({ unresolved_refs: refs, removed_marks: marks }: ScoredQuestion): Html {
  const invented =
    refs.length === 0
      ? nothing
      : html`<p class="why"><span class="badge wrong">invented refs</span> ${refs.map((ref) => html`<bdi>${ref}</bdi> `)}</p>`
  const removed = marks === 0 ? nothing : html`<p class="why">Marks without a source: ${marks}.</p>`
  return html`${invented}${removed}`
}
