import { creditsText } from '../../../billing/credits.ts'
import type { ConversationTurn, TurnStep } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunEnd } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { notice } from '../../components/page.ts'
import { duration } from '../../components/times.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import { freeQuotations } from './free-quotations.ts'
import { type Library, sourceAnchor, sourceList } from './source-views.ts'

/** A turn of a conversation: its question, and its answer beside its sources, or its progress. */
export function turnView(turn: ConversationTurn, library: Library): Html {
  const { run, end } = turn
  return html`<article class="turn" id="${run.id}" aria-labelledby="${run.id}-h"${end ? nothing : html` data-run="${run.id}"`}>
<h2 class="sr" id="${run.id}-h">Question ${run.turn}</h2>
<div class="question" dir="auto"><p>${turn.question === '' ? 'A program went on with the results of its own tools.' : turn.question}</p></div>
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

/** A note about the end of a run that did not simply complete. */
function outcome(run: Run, hasText: boolean): Html {
  const cost = run.costMicros === 0n ? ' It cost nothing.' : ''
  switch (run.status) {
    case 'failed':
      return notice(
        'problem',
        `This turn failed.${cost} Ask again to try once more. The reason: ${run.errorMessage}`,
      )
    case 'cancelled':
      return notice('note', hasText ? 'You stopped this turn here.' : `You stopped this turn.${cost}`)
    default:
      return run.finishReason === 'length'
        ? notice(
            'note',
            'This answer was cut short: it came to a limit of its length, its steps or your credits.',
          )
        : run.finishReason === 'tool_calls'
          ? notice('note', 'A program asked this and has to answer calls of its own tools.')
          : nothing
  }
}

function unknownNote({ unknown_marks: marks, unknown_refs: refs }: RunEnd): Html {
  if (marks === 0 && refs.length === 0) return nothing
  return notice(
    'note',
    html`${marks === 0 ? nothing : `${marks} ${marks === 1 ? 'citation' : 'citations'} of sources that were never read ${marks === 1 ? 'was' : 'were'} left out. `}${refs.map(
      ({ ref, nearest }) =>
        html`The library does not have <bdi>${ref}</bdi>${nearest === null ? '.' : html`; the nearest is <a href="${readHref(nearest)}" dir="auto">${nearest}</a>.`} `,
    )}`,
  )
}

function fileLinks({ files }: RunEnd): Html {
  return html`<p class="made">${files.map(
    (file) =>
      html`<a class="file-link" href="/files/${file.id}" dir="auto">${file.filename}</a> <small class="faint">${file.action}</small> `,
  )}</p>`
}

/** Cost and duration of the answer, and its steps. */
function turnFoot({ run, steps }: ConversationTurn): Html {
  const facts = html`${creditsText(run.costMicros)} credits · ${tookOf(run)}`
  if (steps.length === 0)
    return html`<p class="turn-foot faint">${facts} · <a href="/runs/${run.id}">Details</a></p>`
  return html`<details class="turn-foot"><summary class="faint">How this was found: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'} · ${facts}</summary>
<ol class="steps">${steps.map(stepItem)}</ol>
<p><a href="/runs/${run.id}">All details of this run</a></p></details>`
}

function stepItem(step: TurnStep): Html {
  return html`<li><span dir="auto">${step.title}</span> <span class="faint">${stepFacts(step)}</span></li>`
}

/** The result of a step, and how long it took. */
function stepFacts({ refs, failed, tookMs, kind }: TurnStep): string {
  const found = failed
    ? 'nothing came of it'
    : refs.length > 0
      ? `${refs.length} ${refs.length === 1 ? 'passage' : 'passages'}`
      : ''
  return [kind === 'tool' ? found : '', duration(tookMs)].filter((fact) => fact !== '').join(' · ')
}

/** Duration of a run without its time in the queue; empty when it never started. */
export function tookOf({ startedAt, createdAt, finishedAt }: Run): string {
  return finishedAt ? duration(finishedAt.getTime() - (startedAt ?? createdAt).getTime()) : ''
}

/** A turn that is queued or running. A script updates it; without scripts the page reloads itself. */
function openTurn({ run, answer, steps, doing }: ConversationTurn): Html {
  const done = steps.filter((step) => step.kind === 'tool')
  return html`<div class="turn-body live">
<p class="status" role="status">${statusOf(run)}</p>
<ul class="doing">${done.map((step) => html`<li class="done" dir="auto">${step.title}</li>`)}${doing.map((title) => html`<li dir="auto">${title}</li>`)}</ul>
<div class="answer draft">${answer.split(/\n{2,}/).map((part) => (part.trim() === '' ? nothing : html`<p dir="auto">${part}</p>`))}</div>
<form class="stop" method="post" action="/runs/${run.id}/cancel"><button class="quiet danger">Stop</button></form>
</div>`
}

function statusOf(run: Run): string {
  if (run.cancelRequestedAt) return 'Stopping …'
  return run.status === 'queued' ? 'Waiting for the turn before it …' : 'Working …'
}
