import { newId } from '../../../ids.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { CitedSource, RunEnd } from '../../../turns/run/run-events.ts'
import type { TurnPlace } from '../../../turns/sessions/branches.ts'
import type { Feedback } from '../../../turns/sessions/feedback.ts'
import { type Html, html, joined, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { RefNames } from '../ref-names.ts'
import { checkTexts } from './answer-checks.ts'

/** What a reader can do with an answer: copy it, ask again, and say what they think of it. */
export function answerActions(
  t: Texts,
  turn: ConversationTurn,
  feedback: Feedback | undefined,
  names: RefNames,
): Html {
  const { run, questionAgain, answer } = turn
  if (answer === '') return nothing
  return html`<div class="answer-actions" role="group" aria-label="${t.answers.answerNumber(run.turn)}">
<button type="button" class="quiet copy" data-copy-text="${answerToCopy(t, turn, names)}"
aria-label="${t.answers.copyAnswerNumber(run.turn)}">${t.answers.copyAnswer}</button>
${questionAgain === '' ? nothing : regenerateForm(t, run, questionAgain)}
${feedbackForm(t, run, feedback)}</div>`
}

/** A form that asks the question of a run again, in place of it. */
function regenerateForm({ answers }: Texts, run: Run, question: string): Html {
  return html`<form method="post" action="/runs/${run.id}/branch">${hiddenFields(run)}
<input type="hidden" name="question" value="${question}"><button class="quiet">${answers.regenerate}</button></form>`
}

/** Opens the question of a turn for a change. The changed question is asked in place of it. */
export function editForm({ answers, ask, common }: Texts, run: Run, question: string): Html {
  return html`<details class="edit"><summary class="quiet button" title="${common.edit}"
aria-label="${answers.editNumber(run.turn)}"><span class="icon pencil"></span></summary>
<form method="post" action="/runs/${run.id}/branch">${hiddenFields(run)}
<label>${answers.changedQuestion}<textarea name="question" required maxlength="50000" dir="auto"
rows="3">${question}</textarea></label>
<p class="hint">${answers.editHint}</p>
<button>${ask.send}</button></form></details>`
}

function hiddenFields({ model }: Run): Html {
  return html`<input type="hidden" name="form" value="${newId('request')}">
<input type="hidden" name="model" value="${model}">`
}

function feedbackForm({ answers }: Texts, run: Run, feedback: Feedback | undefined): Html {
  const button = (rating: Feedback['rating'], label: string) =>
    html`<button class="quiet" name="rating" value="${rating}" aria-pressed="${String(
      feedback?.rating === rating,
    )}" aria-label="${label}" title="${label}"><span class="icon ${rating}"></span></button>`
  return html`<form class="feedback" method="post" action="/runs/${run.id}/feedback"
data-sent="${answers.noteSent}" data-failed="${answers.feedbackFailed}">
${button('up', answers.good)}${button('down', answers.bad)}
<details class="feedback-note"${feedback ? nothing : html` hidden`}><summary>${answers.addNote}</summary>
<label>${answers.noteQuestion}
<textarea name="note" maxlength="2000" dir="auto" rows="2">${feedback?.note ?? ''}</textarea></label>
<p class="hint">${answers.noteHint}</p>
<button name="rating" value="${feedback?.rating ?? 'up'}">${answers.sendNote}</button></details></form>`
}

/** Links between the branches of a conversation at one question; nothing without branches. */
export function branchLinks(
  { answers }: Texts,
  turn: number,
  places: readonly TurnPlace[],
  current: string,
): Html {
  const at = places.findIndex(({ sessionId }) => sessionId === current)
  if (places.length < 2 || at === -1) return nothing
  const question = answers.questionNumber(turn)
  const link = (place: TurnPlace | undefined, sign: string, label: string) =>
    place === undefined
      ? html`<span class="faint" aria-hidden="true">${sign}</span>`
      : html`<a href="${turnHref(place)}" aria-label="${label}: ${question}">${sign}</a>`
  return html`<nav class="branches" aria-label="${answers.versionsOf(turn)}">
${link(places[at - 1], '‹', answers.earlierVersion)} <span>${answers.versionOf(at + 1, places.length)}</span>
${link(places[at + 1], '›', answers.laterVersion)}</nav>`
}

/** A question of a conversation, also if it is not among the newest. */
function turnHref({ sessionId, turn }: TurnPlace): string {
  return `/sessions/${sessionId}?at=${turn}#question-${turn}`
}

/** An answer for the clipboard: the text of the model, its sources, and the service's checks, each under its name. */
function answerToCopy(t: Texts, turn: ConversationTurn, names: RefNames): string {
  const { answers } = t
  const checks = checkTexts(t, turn, names)
  return [
    `${answers.byModel}:`,
    turn.answer,
    ...sourcesPart(t, turn.end),
    ...(checks.length === 0
      ? []
      : [`${answers.checks.byService}:\n${checks.map((line) => `- ${line}`).join('\n')}`]),
  ].join('\n\n')
}

function sourcesPart(t: Texts, end: RunEnd | undefined): readonly string[] {
  if (!end || end.sources.length === 0) return []
  return [
    `${t.answers.sources}:\n${end.sources.map((source) => `[${source.n}] ${factsOf(t, source)}`).join('\n')}`,
  ]
}

function factsOf(t: Texts, { ref, he_ref: heRef, version, license, url }: CitedSource): string {
  const name = t.language === 'he' && heRef !== '' ? heRef : ref
  const facts = [name, t.library.versionName(version), license && t.answers.licence(license)]
  return joined([...facts, /^https?:/.test(url) ? url : ''])
}
