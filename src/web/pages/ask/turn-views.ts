import { creditsText } from '../../../billing/credits.ts'
import type { ConversationTurn, TurnStep } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunEnd } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { notice } from '../../components/page.ts'
import { counted } from '../../components/texts.ts'
import { formatDuration } from '../../components/times.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import { freeQuotations } from './free-quotations.ts'
import { type Library, sourceAnchor, sourceList } from './source-views.ts'

/** A turn of a conversation: its question, and its answer with its sources, or the progress so far. */
export function turnView(turn: ConversationTurn, library: Library): Html {
  const { run, end } = turn
  const question =
    turn.question === '' ? 'A program continued with the results of its own tools.' : turn.question
  const live = end ? nothing : html` data-run="${run.id}"`
  return html`<article class="turn" id="${run.id}" aria-labelledby="${run.id}-h"${live}>
<h2 class="sr" id="${run.id}-h">Question ${run.turn}</h2>
<div class="question" dir="auto"><p>${question}</p></div>
${end ? endedTurn(turn, end, library) : openTurn(turn)}
</article>`
}

function endedTurn(turn: ConversationTurn, end: RunEnd, library: Library): Html {
  const { run } = turn
  const links = new Map(end.sources.map(({ n }) => [n, `#${sourceAnchor(run.id, n)}`]))
  return html`<div class="turn-body${end.sources.length > 0 ? ' with-sources' : ''}">
<div class="turn-main">
${turn.answer === '' ? nothing : html`<div class="answer">${showMarkdown(turn.answer, links)}</div>`}
${outcome(run, turn.answer !== '')}
${unknownNote(end)}
${freeQuotations(end.quotations ?? [])}
${end.files.length === 0 ? nothing : fileLinks(end)}
${turnFoot(turn)}
</div>
${end.sources.length === 0 ? nothing : sourceList(run.id, end.sources, library)}
</div>`
}

/** Says how a turn ended, when it is not a complete answer. */
function outcome(run: Run, hasText: boolean): Html {
  const cost = run.costMicros === 0n ? ' It cost nothing.' : ''
  if (run.status === 'failed') {
    return notice('problem', `This turn failed.${cost} Ask again to retry. Reason: ${run.errorMessage}`)
  }
  if (run.status === 'cancelled') {
    return notice('note', hasText ? 'You stopped this turn here.' : `You stopped this turn.${cost}`)
  }
  if (run.finishReason === 'length') {
    return notice(
      'note',
      'This answer is incomplete: it reached a limit of its length, its steps or your credits.',
    )
  }
  return run.finishReason === 'tool_calls'
    ? notice('note', 'This question came from a program. The turn waits for the results of its tools.')
    : nothing
}

function unknownNote({ unknown_marks: marks, unknown_refs: refs }: RunEnd): Html {
  if (marks === 0 && refs.length === 0) return nothing
  const removed = marks === 1 ? '1 citation was' : `${marks} citations were`
  const sources = marks === 1 ? 'its source' : 'their sources'
  const citations = marks === 0 ? nothing : `${removed} removed, because the turn never read ${sources}. `
  return notice('note', html`${citations}${refs.map(unknownRef)}`)
}

function unknownRef({ ref, nearest, publisher }: RunEnd['unknown_refs'][number]): Html {
  if (publisher) {
    const link = html`<a href="${publisher.url}" rel="noreferrer">Its publisher has it</a>`
    return html`The library does not have <bdi>${ref}</bdi>. ${link}, under the licence ${publisher.license}. `
  }
  const near =
    nearest === null
      ? '.'
      : html`. The nearest ref is <a href="${readHref(nearest)}" dir="auto">${nearest}</a>.`
  return html`The library does not have <bdi>${ref}</bdi>${near} `
}

function fileLinks({ files }: RunEnd): Html {
  return html`<p class="made">${files.map(
    ({ id, filename, action }) =>
      html`<a class="file-link" href="/files/${id}" dir="auto">${filename}</a> <small class="faint">${action}</small> `,
  )}</p>`
}

/** What the answer cost, and the steps that led to it. */
function turnFoot({ run, steps }: ConversationTurn): Html {
  const facts = html`${creditsText(run.costMicros)} credits · ${tookOf(run)}`
  if (steps.length === 0)
    return html`<p class="turn-foot faint">${facts} · <a href="/runs/${run.id}">Details</a></p>`
  return html`<details class="turn-foot">
<summary class="faint">How this was found: ${counted(steps.length, 'step')} · ${facts}</summary>
<ol class="steps">${steps.map(stepItem)}</ol>
<p><a href="/runs/${run.id}">All details of this run</a></p></details>`
}

function stepItem(step: TurnStep): Html {
  return html`<li><span dir="auto">${step.title}</span> <span class="faint">${stepFacts(step)}</span></li>`
}

/** The result of a step, and how long it took. */
function stepFacts({ refs, failed, tookMs, kind }: TurnStep): string {
  const found = failed ? 'no result' : refs.length > 0 ? counted(refs.length, 'passage') : ''
  return [kind === 'tool' ? found : '', formatDuration(tookMs)].filter((fact) => fact !== '').join(' · ')
}

/** How long a run took without its time in the queue; empty until it ends. */
export function tookOf({ startedAt, createdAt, finishedAt }: Run): string {
  return finishedAt ? formatDuration(finishedAt.getTime() - (startedAt ?? createdAt).getTime()) : ''
}

/** A turn that is queued or running. A script updates it; without scripts the page reloads itself. */
function openTurn({ run, answer, steps, doing }: ConversationTurn): Html {
  const done = steps.filter((step) => step.kind === 'tool')
  const paragraphs = answer.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return html`<div class="turn-body live">
<p class="status" role="status">${statusOf(run)}</p>
<ul class="doing">${done.map((step) => html`<li class="done" dir="auto">${step.title}</li>`)}
${doing.map((title) => html`<li dir="auto">${title}</li>`)}</ul>
<div class="answer draft">${paragraphs.map((part) => html`<p dir="auto">${part}</p>`)}</div>
<form class="stop" method="post" action="/runs/${run.id}/cancel"><button class="quiet danger">Stop</button></form>
</div>`
}

function statusOf(run: Run): string {
  if (run.cancelRequestedAt) return 'Stopping …'
  return run.status === 'queued' ? 'Waiting for your previous question …' : 'Working …'
}
