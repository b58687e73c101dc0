import { newId } from '../../../ids.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { type Html, html } from '../../components/html.ts'
import { selectField } from '../../components/select-field.ts'

export type AskValues = {
  readonly question: string
  readonly model: string
  readonly session: string
  readonly project: string
}

export const emptyQuestion: AskValues = { question: '', model: 'service', session: '', project: '' }

/** The models, projects and conversations that a question can choose from. */
export type AskChoices = {
  readonly models: readonly string[]
  readonly projects: readonly Project[]
  readonly sessions: readonly Session[]
}

/**
 * The form for a question: with a choice of project and conversation, or for a follow-up in the conversation that is
 * shown.
 */
export function askForm(choices: AskChoices, values: AskValues, isFollowUp = false): Html {
  const placeholder = isFollowUp ? 'Ask a follow-up' : 'Ask in English or Hebrew'
  const fields = isFollowUp
    ? html`<input type="hidden" name="session" value="${values.session}">`
    : conversationFields(choices, values)
  return html`<form class="ask card${isFollowUp ? ' follow-up' : ''}" method="post" action="/ask">
<input type="hidden" name="form" value="${newId('request')}">
<label class="${isFollowUp ? 'sr' : ''}" for="question">Your question</label>
<textarea id="question" name="question" required maxlength="50000" dir="auto" rows="${isFollowUp ? 2 : 4}"
placeholder="${placeholder}">${values.question}</textarea>
<div class="ask-row">
${fields}
${modelField(choices.models, values.model)}
<button>Ask</button>
</div></form>`
}

function conversationFields({ projects, sessions }: AskChoices, values: AskValues): Html {
  return html`${selectField({
    label: 'Conversation',
    name: 'session',
    selected: values.session,
    options: [
      { value: '', label: 'New conversation' },
      ...sessions.map((session) => ({ value: session.id, label: nameOf(session) })),
    ],
  })}
${selectField({
  label: 'Project of a new conversation',
  name: 'project',
  selected: values.project,
  options: [
    { value: '', label: 'My questions' },
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ],
})}`
}

function modelField(models: readonly string[], chosen: string): Html {
  const model = models.includes(chosen) ? chosen : (models[0] ?? '')
  if (models.length <= 1) return html`<input type="hidden" name="model" value="${model}">`
  const options = models.map((id) => ({ value: id, label: id }))
  return selectField({ label: 'Model', name: 'model', selected: model, options })
}

/** The name of a conversation: that of its first question, or the one that it was given. */
export function nameOf({ name }: Pick<Session, 'name'>): string {
  return name === '' ? 'Untitled conversation' : name
}
