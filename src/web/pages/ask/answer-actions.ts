import { newId } from '../../../ids.ts'
import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { Feedback } from '../../../turns/sessions/feedback.ts'
import { type Html, html, nothing } from '../../components/html.ts'

/** What a reader can do with an answer: copy it, ask again, and say what they think of it. */
export function answerActions(
  { run, question, answer }: ConversationTurn,
  feedback: Feedback | undefined,
): Html {
  if (answer === '') return nothing
  return html`<div class="answer-actions" role="group" aria-label="Answer ${run.turn}">
<button type="button" class="quiet copy" data-copy-text="${answer}">Copy answer</button>
${question === '' ? nothing : regenerateForm(run, question)}
${feedbackForm(run, feedback)}</div>`
}

/** A form that asks the question of a run again, in place of it. */
function regenerateForm(run: Run, question: string): Html {
  return html`<form method="post" action="/runs/${run.id}/branch">${hiddenFields(run)}
<input type="hidden" name="question" value="${question}"><button class="quiet">Regenerate</button></form>`
}

/** Opens the question of a turn for a change. The changed question is asked in place of it. */
export function editForm(run: Run, question: string): Html {
  return html`<details class="edit"><summary class="quiet button">Edit<span
class="sr"> question ${run.turn}</span></summary>
<form method="post" action="/runs/${run.id}/branch">${hiddenFields(run)}
<label>Changed question<textarea name="question" required maxlength="50000" dir="auto"
rows="3">${question}</textarea></label>
<p class="hint">This answer stays: the new question begins another branch of the conversation.</p>
<button>Ask</button></form></details>`
}

function hiddenFields({ model }: Run): Html {
  return html`<input type="hidden" name="form" value="${newId('request')}">
<input type="hidden" name="model" value="${model}">`
}

function feedbackForm(run: Run, feedback: Feedback | undefined): Html {
  const button = (rating: Feedback['rating'], label: string) =>
    html`<button class="quiet" name="rating" value="${rating}" aria-pressed="${String(
      feedback?.rating === rating,
    )}" aria-label="${label}" title="${label}"><span class="thumb ${rating}"></span></button>`
  return html`<form class="feedback" method="post" action="/runs/${run.id}/feedback">
${button('up', 'Good answer')}${button('down', 'Bad answer')}
<details class="feedback-note"${feedback ? nothing : html` hidden`}><summary>Add a note</summary>
<label>What was good or bad about it?
<textarea name="note" maxlength="2000" dir="auto" rows="2">${feedback?.note ?? ''}</textarea></label>
<p class="hint">The operator of this service sees the note with your question and the answer’s sources.</p>
<button name="rating" value="${feedback?.rating ?? 'up'}">Send note</button></details></form>`
}

/** Links between the branches of a conversation at one question; nothing without branches. */
export function branchLinks(turn: number, sessionIds: readonly string[], current: string): Html {
  const at = sessionIds.indexOf(current)
  if (sessionIds.length < 2 || at === -1) return nothing
  const link = (id: string | undefined, sign: string, label: string) =>
    id === undefined
      ? html`<span class="faint" aria-hidden="true">${sign}</span>`
      : html`<a href="/sessions/${id}" aria-label="${label}">${sign}</a>`
  return html`<nav class="branches" aria-label="Versions of question ${turn}">
${link(sessionIds[at - 1], '‹', 'Earlier version')} <span>${at + 1} / ${sessionIds.length}</span>
${link(sessionIds[at + 1], '›', 'Later version')}</nav>`
}
