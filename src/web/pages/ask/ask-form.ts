import { newId } from '../../../ids.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { type Html, html, nothing } from '../../components/html.ts'

export type AskValues = {
  readonly question: string
  readonly model: string
  readonly session: string
  readonly project: string
}

export const emptyQuestion: AskValues = { question: '', model: 'service', session: '', project: '' }

/** The models, projects and conversations to choose from. */
export type AskChoices = {
  readonly models: readonly string[]
  readonly projects: readonly Project[]
  readonly sessions: readonly Session[]
}

/**
 * The form for a question: with a choice of project and conversation, or as a follow-up in the current
 * conversation.
 */
export function askForm(choices: AskChoices, values: AskValues, goesOn = false): Html {
  return html`<form class="ask card${goesOn ? ' goes-on' : ''}" method="post" action="/ask">
<input type="hidden" name="form" value="${newId('request')}">
<label class="${goesOn ? 'sr' : ''}" for="question">Your question</label>
<textarea id="question" name="question" required maxlength="50000" dir="auto" rows="${goesOn ? 2 : 4}" placeholder="${goesOn ? 'Go on with the conversation' : 'In English or in Hebrew'}">${values.question}</textarea>
<div class="ask-row">
${goesOn ? html`<input type="hidden" name="session" value="${values.session}">` : places(choices, values)}
${modelChoice(choices.models, values.model)}
<button>Ask</button>
</div></form>`
}

function places({ projects, sessions }: AskChoices, values: AskValues): Html {
  return html`<label>Conversation <select name="session"><option value="">A new one</option>${sessions.map(
    (session) => option(session.id, nameOf(session), values.session),
  )}</select></label>
<label>Project of a new one <select name="project"><option value="">My questions</option>${projects.map(
    (project) => option(project.id, project.name, values.project),
  )}</select></label>`
}

function modelChoice(models: readonly string[], chosen: string): Html {
  const model = models.includes(chosen) ? chosen : (models[0] ?? '')
  if (models.length <= 1) return html`<input type="hidden" name="model" value="${model}">`
  return html`<label>Model <select name="model">${models.map((id) => option(id, id, model))}</select></label>`
}

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}" dir="auto"${value === chosen ? html` selected` : nothing}>${label}</option>`
}

/** The name of a conversation: its first question, unless the user named it. */
export function nameOf({ name }: Pick<Session, 'name'>): string {
  return name === '' ? 'Not begun yet' : name
}
