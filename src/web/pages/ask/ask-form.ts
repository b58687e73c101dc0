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

/** The models and projects that a question can choose from, and the conversation that it continues. */
export type AskChoices = {
  readonly models: readonly string[]
  readonly projects: readonly Project[]
  readonly session?: Pick<Session, 'id' | 'name' | 'projectId'> | undefined
}

/** Texts that the script of the box shows. */
const scriptTexts = {
  uploading: 'Uploading …',
  failed: 'The file could not be uploaded.',
  remove: 'Remove',
  attached: 'Attached',
}

/**
 * The box for a question: with a choice of project for a new conversation, or for a follow-up. A script grows it, sends
 * it with Enter and attaches files.
 */
export function askForm(choices: AskChoices, values: AskValues): Html {
  const isFollowUp = choices.session !== undefined
  return html`<form class="composer" method="post" action="/ask" data-texts="${JSON.stringify(scriptTexts)}"
data-project="${choices.session?.projectId ?? ''}">
<input type="hidden" name="form" value="${newId('request')}">
${isFollowUp ? html`<input type="hidden" name="session" value="${choices.session.id}">` : nothing}
<label class="sr" for="question">Your question</label>
<textarea id="question" name="question" required maxlength="50000" dir="auto" rows="1" enterkeyhint="send"
placeholder="${isFollowUp ? 'Ask a follow-up' : 'Ask in English or Hebrew'}">${values.question}</textarea>
<ul class="attached" aria-label="Attached files" hidden></ul>
<div class="composer-row">
<label class="chip attach">Attach<input type="file" multiple></label>
${isFollowUp ? nothing : projectField(choices.projects, values.project)}
${modelField(choices.models, values.model)}
<span class="composer-status faint" role="status"></span>
<button class="send">Ask</button>
</div></form>`
}

function projectField(projects: readonly Project[], chosen: string): Html {
  if (projects.length === 0) return nothing
  const options = [
    { value: '', label: 'My questions' },
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return chip({ label: 'Project', name: 'project', options, selected: chosen })
}

function modelField(models: readonly string[], chosen: string): Html {
  const model = models.includes(chosen) ? chosen : (models[0] ?? '')
  if (models.length <= 1) return html`<input type="hidden" name="model" value="${model}">`
  return chip({
    label: 'Model',
    name: 'model',
    options: models.map((id) => ({ value: id, label: id })),
    selected: model,
  })
}

/** A choice that looks like a label of the box. */
function chip(field: {
  readonly label: string
  readonly name: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly selected: string
}): Html {
  const options = field.options.map(
    ({ value, label }) =>
      html`<option value="${value}" dir="auto"${
        value === field.selected ? html` selected` : nothing
      }>${label}</option>`,
  )
  return html`<label class="chip"><span>${field.label}</span> <select name="${field.name}">${options}</select></label>`
}

/** The name of a conversation: that of its first question, or the one that it was given. */
export function nameOf({ name }: Pick<Session, 'name'>): string {
  return name === '' ? 'Untitled conversation' : name
}
