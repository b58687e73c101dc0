import type { QuoteCheck } from '../../../sources/citations/check.ts'
import type { NearestWording } from '../../../sources/citations/comparison/quote-check.ts'
import type { VerifiedQuote } from '../../../sources/citations/verify.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import { checkedKindOf } from '../../../turns/read/source-kind.ts'
import type { RunEnd } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import type { QuotationMark } from '../../markdown/answer-marks.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type RefNames, refLink } from '../ref-names.ts'

type Result = Exclude<QuoteCheck['result'], 'paraphrase'>

/** The check of one quotation of an answer. */
export type AnswerCheck = Omit<VerifiedQuote, 'result' | 'quote'> & {
  readonly result: Result
  readonly quote: string
  /** Whether a file has it and not the library: its `ref` is the name of the file. */
  readonly isOfFile: boolean
  /** HTML id of the popover with its details. */
  readonly id: string
}

/** Signs of the verdicts, in the order in which the line above an answer counts them. */
const signs: Readonly<Record<Result, string>> = {
  verbatim: '✓',
  edited: '…',
  fuzzy: '≈',
  translation: '⇄',
  misattributed: '→',
  from_tool: '⚙',
  not_found: '✗',
}

/**
 * All checks of an answer's quotations, in the order of the answer. Those of an answer that an earlier version logged
 * come by source, then those without a citation.
 */
export function checksOf(runId: string, end: RunEnd): readonly AnswerCheck[] {
  const cited = end.sources.flatMap((source) =>
    source.verification.map((check) => ({
      ref: source.ref,
      ...check,
      isOfFile: checkedKindOf(check, source, end) === 'file',
    })),
  )
  const free = (end.quotations ?? []).map((check) => ({
    ...check,
    isOfFile: checkedKindOf(check, undefined, end) === 'file',
  }))
  const inOrder = [...cited, ...free].toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
  return withIds(inOrder, `${runId}-q`)
}

/** The checks of the question's own quotations. */
export function questionChecksOf(runId: string, end: RunEnd): readonly AnswerCheck[] {
  const asked = (end.question_quotations ?? []).map((check) => ({ ...check, isOfFile: false }))
  return withIds(asked, `${runId}-asked`)
}

function withIds(
  checks: readonly (VerifiedQuote & { readonly isOfFile: boolean })[],
  prefix: string,
): readonly AnswerCheck[] {
  return checks.flatMap((check, at) => {
    const { result, quote } = check
    if (result === 'paraphrase' || quote === undefined) return []
    return [{ ...check, result, quote, id: `${prefix}${at + 1}` }]
  })
}

/** How each check is shown in the sentence of its quotation. */
export function quotationMarks(
  { answers }: Texts,
  checks: readonly AnswerCheck[],
  names: RefNames,
): readonly QuotationMark[] {
  return checks.map((check) => {
    const { quote, result: kind, found_ref: found, id } = check
    const { label } = answers.checks.results[kind]
    if (hasDetails(check)) return { quote, kind, label, popover: id }
    if (kind === 'verbatim') return { quote, kind, label, sign: signs[kind] }
    if (kind === 'misattributed' && found !== undefined && !check.isOfFile)
      return { quote, kind, label: answers.checks.foundIn(names(found)), href: readHref(found, { quote }) }
    return { quote, kind, label }
  })
}

/** The sign in the direction of the page. */
function signOf({ direction }: Texts, verdict: Result): string {
  return verdict === 'misattributed' && direction === 'rtl' ? '←' : signs[verdict]
}

/** What the service has checked of a turn. */
export type TurnChecks = {
  readonly question: readonly AnswerCheck[]
  /** Undefined for a turn without an answer. */
  readonly answer: readonly AnswerCheck[] | undefined
}

/**
 * The service's own result, above the answer: about the quotations of the question, if it has any, and of the answer. A
 * frame with a name of the service sets it apart from the answer, whose text may claim a check as well.
 */
export function checkResult(t: Texts, { question, answer }: TurnChecks, names: RefNames): Html {
  const { none, quotations, inQuestion, byService } = t.answers.checks
  if (question.length === 0 && !answer) return nothing
  const ofAnswer =
    answer?.length === 0
      ? html`<p class="checks faint">${none}</p>`
      : answer && summary(t, quotations, answer, names)
  return html`<div class="check-result"><span class="by">${byService}</span>
${question.length === 0 ? nothing : summary(t, inQuestion, question, names)}
${ofAnswer}</div>`
}

/** How many quotations have which verdict. It opens to each of them. */
function summary(t: Texts, label: string, checks: readonly AnswerCheck[], names: RefNames): Html {
  const { results } = t.answers.checks
  const counts = (Object.keys(signs) as Result[]).flatMap((verdict) => {
    const count = checks.filter(({ result }) => result === verdict).length
    if (count === 0) return []
    const sign = html`<span aria-hidden="true">${signOf(t, verdict)}</span>`
    return [html`<span class="count ${verdict}">${sign} ${count} ${results[verdict].label}</span> `]
  })
  return html`<details class="checks"><summary><span class="faint">${label}</span> ${counts}</summary>
<ul>${checks.map((check) => html`<li>${checkLine(t, check, names)}</li>`)}</ul></details>`
}

/** One check in words. */
function checkLine(t: Texts, check: AnswerCheck, names: RefNames): Html {
  const { result, quote, ref, found_ref: found, found_version: version } = check
  const isInLibrary = result !== 'from_tool'
  const at = found ?? ref
  const named =
    at === undefined
      ? undefined
      : check.isOfFile
        ? html`<bdi>${at}</bdi> (${t.answers.file})`
        : refLink(at, names)
  const place =
    result === 'not_found'
      ? html` ${named ? t.answers.checks.lookedFor(named) : t.answers.checks.lookedEverywhere}`
      : named && isInLibrary
        ? html` ${named}`
        : nothing
  const inVersion = version && html` <bdi>(${version})</bdi>`
  return html`<span class="badge ${result}">${t.answers.checks.results[result].label}</span>
<q dir="auto">${beginningOf(quote)}</q>${place}${inVersion}`
}

/** What a label opens: how a quotation differs from its passage, or where it was looked for, and what is nearest. */
export function checkPopovers(t: Texts, checks: readonly AnswerCheck[], names: RefNames): Html {
  const { dialog, results } = t.answers.checks
  return html`${checks.filter(hasDetails).map(
    (check) => html`<div class="check-details" id="${check.id}" popover role="dialog" aria-label="${dialog}">
<p>${results[check.result].meaning}</p>
${wording(t, check)}
<p>${checkLine(t, check, names)}</p>
${check.nearest ? nearest(t, check.nearest, names) : nothing}
<button type="button" class="quiet" popovertarget="${check.id}" popovertargetaction="hide">${
      t.common.close
    }</button></div>`,
  )}`
}

/** The nearest passage to a quotation that was not found. */
function nearest(t: Texts, found: NearestWording, names: RefNames): Html {
  return html`<p>${t.answers.checks.nearest(refLink(found.ref, names))}</p>${wording(t, found)}`
}

function wording(t: Texts, found: Pick<AnswerCheck, 'original' | 'differences'>): Html {
  const { original } = found
  return html`${original === undefined ? nothing : html`<blockquote class="text" dir="auto">${original}</blockquote>`}
${differences(t, found)}`
}

function hasDetails({ differences: found = [], result }: AnswerCheck): boolean {
  if (result === 'not_found' || result === 'translation') return true
  return (result === 'fuzzy' || result === 'edited') && found.length > 0
}

function differences(
  { answers: { checks } }: Texts,
  { differences: found = [] }: Pick<AnswerCheck, 'differences'>,
): Html {
  if (found.length === 0) return nothing
  return html`<ul class="differences">${found.map(({ kind, quote, text }) => {
    if (kind === 'left_out') return html`<li>${checks.leftOut(html`<ins dir="auto">${text}</ins>`)}</li>`
    if (kind === 'added') return html`<li>${checks.added(html`<del dir="auto">${quote}</del>`)}</li>`
    const [own, original] = [html`<del dir="auto">${quote}</del>`, html`<ins dir="auto">${text}</ins>`]
    return html`<li>${checks.inPlaceOf(own, original)}</li>`
  })}</ul>`
}

/** The beginning of a long quotation: the answer has the whole. */
function beginningOf(quote: string): string {
  const characters = [...quote]
  return characters.length > 120 ? `${characters.slice(0, 110).join('')} …` : quote
}

/**
 * The service's checks of a turn as lines of plain text, a line a quotation. Files, copies and prints carry them beside
 * the answer. Empty for a turn without an end.
 */
export function checkTexts(t: Texts, turn: ConversationTurn, names: RefNames): readonly string[] {
  const { run, end, answer } = turn
  if (!end) return []
  const { none, quotationOfQuestion } = t.answers.checks
  const lines = checksOf(run.id, end).map((check) => checkText(t, check, names))
  const asked = questionChecksOf(run.id, end).map(
    (check) => `${quotationOfQuestion} ${checkText(t, check, names)}`,
  )
  return [...asked, ...(lines.length === 0 && answer !== '' ? [none] : lines)]
}

/** Such as `not found: “…” (looked for in Gate 1:1)`. Isolates keep Hebrew words in their place of an English line. */
function checkText({ answers: { checks, file } }: Texts, check: AnswerCheck, names: RefNames): string {
  const { result, quote, ref, found_ref: found, isOfFile } = check
  const isUnfound = result === 'not_found' || result === 'from_tool'
  const at = found ?? ref
  const name = at === undefined ? '' : isOfFile ? `${at}, ${file}` : names(at)
  const place = name === '' ? '' : isUnfound ? checks.lookedIn(isolated(name)) : isolated(name)
  return `${checks.results[result].label}: ${isolated(`“${quote}”`)}${place === '' ? '' : ` (${place})`}`
}

function isolated(text: string): string {
  return `\u2068${text}\u2069`
}
