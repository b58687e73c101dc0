import type { ConversationTurn, TurnStep } from '../../../turns/read/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunEnd } from '../../../turns/run/run-events.ts'
import type { Alternatives } from '../../../turns/sessions/branches.ts'
import type { Feedback } from '../../../turns/sessions/feedback.ts'
import { type Html, html, joined, nothing } from '../../components/html.ts'
import type { RefMark } from '../../markdown/answer-marks.ts'
import { renderQuestion } from '../../markdown/markdown.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type RefNames, refLink, refLinks, stepTitle } from '../ref-names.ts'
import { answerActions, branchLinks, editForm } from './answer-actions.ts'
import { checkPopovers, checkResult, checksOf, questionChecksOf, quotationMarks } from './answer-checks.ts'
import { liveTurn } from './live-turn-view.ts'
import { outcome, unknownNote } from './outcome-views.ts'
import { citationMarks, type Library, type PlacedRef, sourceList } from './source-views.ts'

/** Style sheets of a page with turns. */
export const turnSheets = ['conversation', 'checks', 'sources', 'ref-preview', 'turn-print']

/** What the library knows about the turns of a page. */
export type LibraryFacts = {
  readonly passages: Library
  /** The refs that each answer names, by run. */
  readonly refs: ReadonlyMap<string, readonly RefMark[]>
  /** The refs that the texts of sources name, by text. */
  readonly refsIn: ReadonlyMap<string, readonly PlacedRef[]>
  /** Names of the refs of checks, steps and sources. */
  readonly names: RefNames
}

/** What the reader has said of answers, and the branches of the conversation. */
export type TurnExtras = {
  readonly feedback: ReadonlyMap<string, Feedback>
  readonly alternatives: readonly Alternatives[]
}

/** How screen readers call a turn and its sources. */
export type TurnNames = { readonly question: string; readonly sources: string }

/** A turn of a conversation: its question, and its answer with its sources, or the progress so far. */
export function turnView(t: Texts, turn: ConversationTurn, library: LibraryFacts, extras: TurnExtras): Html {
  const { run, end } = turn
  const beside = extras.alternatives.find((one) => one.turn === run.turn)?.places ?? []
  const live = end ? nothing : html` data-run="${run.id}"`
  const sources = t.answers.sourcesOf(run.turn)
  return html`<article class="turn" id="${run.id}" aria-labelledby="${run.id}-h" tabindex="-1"${live}
${copyTexts(t)}>
<h2 class="sr" id="${run.id}-h">${t.answers.questionNumber(run.turn)}</h2>
<div class="question-row" id="question-${run.turn}">${questionText(t, turn, library.names, turn.files)}
${end && turn.questionAgain !== '' ? editForm(t, run, turn.questionAgain) : nothing}
${branchLinks(t, run.turn, beside, run.sessionId)}</div>
${end ? endedTurn(t, turn, end, library, { sources, extras }) : liveTurn(t, turn, library.names)}
</article>`
}

/**
 * An ended turn for readers with a public link: without anything that only its owner can do.
 * @param names of the turn and its sources on the page. Turns of several sessions can have the same numbers.
 */
export function sharedTurn(t: Texts, turn: ConversationTurn, library: LibraryFacts, names: TurnNames): Html {
  const { run, end } = turn
  if (!end) return nothing
  return html`<article class="turn" id="${run.id}" aria-labelledby="${run.id}-h" ${copyTexts(t)}>
<h2 class="sr" id="${run.id}-h">${names.question}</h2>
${questionText(t, turn, library.names)}${endedTurn(t, turn, end, library, { sources: names.sources })}
</article>`
}

function copyTexts({ frame }: Texts): Html {
  return html` data-copied="${frame.copied}" data-selected="${frame.selected}"`
}

/** Longer questions are shown without marks, because they are rendered in the event loop. */
const longestMarked = 4_000

/** @param files the attached ones that its reader can open. */
function questionText(
  t: Texts,
  { run, end, question }: ConversationTurn,
  names: RefNames,
  files: ConversationTurn['files'] = [],
): Html {
  const text = question === '' ? t.answers.byProgram : question
  const checks = end && text.length <= longestMarked ? questionChecksOf(run.id, end) : []
  const attached = attachedFiles(t, files)
  if (checks.length === 0) return html`<div class="question" dir="auto"><p>${text}</p>${attached}</div>`
  const marked = renderQuestion(text, quotationMarks(t, checks, names))
  return html`<div class="question" dir="auto">${marked}${attached}</div>
${checkPopovers(t, checks, names)}`
}

function attachedFiles({ ask }: Texts, files: NonNullable<ConversationTurn['files']>): Html {
  if (files.length === 0) return nothing
  return html`<ul class="row attached" aria-label="${ask.attachedFiles}">${files.map(
    ({ id, name }) => html`<li><a href="/files/${id}" dir="auto">${name}</a></li>`,
  )}</ul>`
}

/** @param shown.extras absent for readers with a public link. */
function endedTurn(
  t: Texts,
  turn: ConversationTurn,
  end: RunEnd,
  library: LibraryFacts,
  { sources, extras }: Pick<TurnNames, 'sources'> & { readonly extras?: TurnExtras },
): Html {
  const { run, answer } = turn
  const { names } = library
  const hasSources = end.sources.length > 0
  const checks = checksOf(run.id, end)
  const marks = {
    citations: citationMarks(t, run.id, end.sources),
    quotations: quotationMarks(t, checks, names),
    refs: library.refs.get(run.id) ?? [],
  }
  return html`<div class="turn-body${hasSources ? ' with-sources' : ''}">
<div class="turn-main">
${checkResult(t, { question: questionChecksOf(run.id, end), answer: answer === '' ? undefined : checks }, names)}
${
  answer === ''
    ? nothing
    : html`<p class="by-model faint">${t.answers.byModel}</p>
<div class="answer">${showMarkdown(answer, marks)}</div>`
}
${checkPopovers(t, checks, names)}
${outcome(t, turn, extras !== undefined)}
${unknownNote(t, end, names)}
${extras ? ownersPart(t, turn, end, extras, names) : nothing}
</div>
${hasSources ? sourceList(t, run, end.sources, library, { label: sources, isOwn: extras !== undefined }) : nothing}
</div>`
}

function ownersPart(
  t: Texts,
  turn: ConversationTurn,
  end: RunEnd,
  { feedback }: TurnExtras,
  names: RefNames,
): Html {
  return html`${end.files.length === 0 ? nothing : fileLinks(t, end)}
${answerActions(t, turn, feedback.get(turn.run.id), names)}
${turnFoot(t, turn, names)}`
}

function fileLinks({ answers }: Texts, { files }: RunEnd): Html {
  return html`<p class="made">${files.map(
    ({ id, filename, action }) =>
      html`<a class="file-link" href="/files/${id}" dir="auto">${filename}</a> <small class="faint">${
        answers.fileActions[action]
      }</small> `,
  )}</p>`
}

/** The steps that led to an answer. */
function turnFoot(t: Texts, { run, steps }: ConversationTurn, names: RefNames): Html {
  const { answers } = t
  const number = answers.answerNumber(run.turn)
  const link = (label: string) =>
    html`<a href="/runs/${run.id}" aria-label="${label}: ${number}">${label}</a>`
  if (steps.length === 0)
    return html`<p class="turn-foot faint">${tookOf(t, run)} · ${link(answers.details)}</p>`
  return html`<details class="turn-foot"><summary class="faint">${answers.steps}<span class="sr">: ${number}</span>
</summary>
<ol class="steps">${steps.map((step) => stepItem(t, step, names))}</ol>
<p>${link(answers.allDetails)}</p></details>`
}

function stepItem(t: Texts, step: TurnStep, names: RefNames): Html {
  const { refs } = step
  const title = stepTitle(t, step, names)
  const [only] = refs
  // A title that names the one passage read becomes its link: the name would stand there twice.
  if (only !== undefined && refs.length === 1 && title.includes(names(only))) {
    const [before, ...after] = title.split(names(only))
    return html`<li><span dir="auto">${before}${refLink(only, names)}${after.join(names(only))}</span>
<span class="faint">${stepFacts(t, { ...step, refs: [] })}</span></li>`
  }
  return html`<li><span dir="auto">${title}</span> <span class="faint">${stepFacts(t, step)}</span>
${refs.length === 0 ? nothing : html`<span class="step-refs">${refLinks(refs, names)}</span>`}</li>`
}

/** The result of a step, and how long it took. */
function stepFacts(t: Texts, { refs, failed, tookMs, kind }: TurnStep): string {
  const found = failed ? t.answers.noResult : refs.length > 0 ? t.common.passages(refs.length) : ''
  return joined([kind === 'tool' ? found : '', t.duration(tookMs)])
}

/** How long a run took without its time in the queue; empty until it ends. */
export function tookOf({ duration }: Texts, { startedAt, createdAt, finishedAt }: Run): string {
  return finishedAt ? duration(finishedAt.getTime() - (startedAt ?? createdAt).getTime()) : ''
}
