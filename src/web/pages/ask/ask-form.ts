import { newId } from '../../../ids.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

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
  /** Of a viewer, who may not ask. */
  readonly isReadOnly: boolean
  readonly session?: Pick<Session, 'id' | 'name' | 'projectId'> | undefined
}

/**
 * The box for a question: with a choice of project for a new conversation, or for a follow-up. A script grows it, sends
 * it with Enter and attaches files.
 */
export function askForm(t: Texts, choices: AskChoices, values: AskValues): Html {
  const { ask } = t
  if (choices.isReadOnly) return html`<p class="faint">${t.members.readOnly}</p>`
  const { uploading, uploadFailed, remove, attached, offline, online, sendAgain } = ask
  const script = { uploading, failed: uploadFailed, remove, attached, offline, online, sendAgain }
  const texts = JSON.stringify(script)
  const isFollowUp = choices.session !== undefined
  return html`<form class="composer" method="post" action="/ask" data-texts="${texts}"
data-project="${choices.session?.projectId ?? ''}">
<input type="hidden" name="form" value="${newId('request')}">
${isFollowUp ? html`<input type="hidden" name="session" value="${choices.session.id}">` : nothing}
<label class="sr" for="question">${ask.question}</label>
<textarea id="question" name="question" required maxlength="50000" dir="auto" rows="1" enterkeyhint="send"
placeholder="${isFollowUp ? t.ask.followUp : ask.placeholder}">${values.question}</textarea>
<ul class="row attached" aria-label="${ask.attachedFiles}" hidden></ul>
<div class="row composer-row">
<label class="chip attach">${ask.attach}<input type="file" multiple></label>
${isFollowUp ? nothing : projectField(t, choices.projects, values.project)}
${modelField(t, choices.models, values.model)}
<span class="composer-status faint" role="status"></span>
<button class="send">${ask.send}</button>
</div></form>`
}

function projectField(t: Texts, projects: readonly Project[], chosen: string): Html {
  if (projects.length === 0) return nothing
  const options = [
    { value: '', label: t.projects.own },
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return chip({ label: t.common.project, name: 'project', options, selected: chosen })
}

function modelField(t: Texts, models: readonly string[], chosen: string): Html {
  const model = models.includes(chosen) ? chosen : (models[0] ?? '')
  if (models.length <= 1) return html`<input type="hidden" name="model" value="${model}">`
  return chip({
    label: t.common.model,
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
export function nameOf({ ask }: Texts, { name }: Pick<Session, 'name'>): string {
  return name === '' ? ask.untitled : name
}

/**
 * The heading of a conversation. Its name is the beginning of its first question, unless somebody has renamed it: where
 * that question stands below, only screen readers get the heading, and the question looks like one.
 * @param first the first turn on the page.
 */
export function conversationTitle(t: Texts, session: Session, first: ConversationTurn | undefined): Html {
  const isRepeated = first !== undefined && isBeginningOf(session.name, first.question)
  return html`<h1 dir="auto"${isRepeated ? html` class="sr"` : nothing}>${nameOf(t, session)}</h1>`
}

function isBeginningOf(name: string, question: string): boolean {
  const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
  return name !== '' && inOneLine(question).startsWith(inOneLine(name).replace(/\s*…$/, ''))
}
