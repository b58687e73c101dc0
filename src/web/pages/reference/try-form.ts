import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import {
  type ApiDocument,
  bodyType,
  type Call,
  canStream,
  type Parameter,
  type Schema,
} from './api-description.ts'
import { bodyExample } from './examples.ts'
import { label } from './schema-view.ts'

/** A form that sends the request with the reader's key. The script enables it, and puts the reply below. */
export function tryForm(t: Texts, api: ApiDocument, call: Call): Html {
  const { reference } = t
  const fields = call.parameters.map((one) => parameterField(t, call, one))
  const isNeeded = (at: number) => call.parameters[at]?.required === true
  const optional = fields.filter((_, at) => !isNeeded(at))
  return html`<form class="try scripted" data-method="${call.method}" data-path="${call.path}"
data-type="${bodyType(call) ?? ''}" data-scope="${call['x-scope']}" aria-label="${call.summary}">
<h4>${label(t, reference.try)}</h4>
${fields.filter((_, at) => isNeeded(at))}
${bodyField(t, api, call)}
${optionalFields(t, optional)}
<p class="row"><button data-send disabled>${label(t, reference.send)}</button>
<button type="button" class="quiet" data-stop hidden>${label(t, t.common.stop)}</button></p></form>`
}

function optionalFields(t: Texts, fields: readonly Html[]): Html {
  if (fields.length === 0) return nothing
  return html`<details><summary>${label(t, t.reference.optional)}</summary>${fields}</details>`
}

function parameterField(t: Texts, call: Call, { name, in: place, required, schema }: Parameter): Html {
  const id = `${call.operationId}-${name}`
  return field(t, { ...{ id, name, place, schema }, required: required === true })
}

type Field = {
  readonly id: string
  readonly name: string
  readonly place: 'path' | 'query' | 'header' | 'form'
  readonly required: boolean
  readonly schema: Schema
}

/** A control with the attribute `name`, such as `after`, would hide the method of its form. */
function field(t: Texts, { id, name, place, required, schema }: Field): Html {
  const isRequired = required ? html` required` : nothing
  const head = html`<label for="${id}"><code>${name}</code> <small>${place}</small></label>`
  const type = schema.contentMediaType === undefined ? 'text' : 'file'
  if (!schema.enum)
    return html`${head}<input type="${type}" id="${id}" data-name="${name}" data-in="${place}" autocomplete="off"
spellcheck="false"${isRequired}>`
  return html`${head}<select id="${id}" data-name="${name}" data-in="${place}" autocomplete="off"${isRequired}>
<option value="">${t.reference.notSet}</option>${schema.enum.map((one) => html`<option>${one}</option>`)}</select>`
}

function bodyField(t: Texts, api: ApiDocument, call: Call): Html {
  const type = bodyType(call)
  if (type === undefined) return nothing
  const id = `${call.operationId}-body`
  if (type.startsWith('multipart/')) {
    const { properties = {}, required = [] } = call.requestBody?.content[type]?.schema ?? {}
    return html`${Object.entries(properties).map(([name, schema]) =>
      field(t, { id: `${id}-${name}`, name, place: 'form', schema, required: required.includes(name) }),
    )}`
  }
  const body = JSON.stringify(bodyExample(api, call), null, 2)
  const rows = Math.min(16, body.split('\n').length + 1)
  return html`<label for="${id}">${label(t, t.reference.body)}</label>
<textarea id="${id}" data-body rows="${rows}" spellcheck="false" autocomplete="off">${body}</textarea>
${canStream(call) ? streamChoice(t) : nothing}`
}

function streamChoice(t: Texts): Html {
  return html`<label class="choice"><input type="checkbox" data-stream autocomplete="off">
<span>${label(t, t.reference.stream)}</span></label>`
}

/** Where a reply is shown; the script copies it below a form at its first request. */
export function replyTemplate(t: Texts): Html {
  const { reference } = t
  return html`<template id="reply"><div class="reply"><p role="status" data-state></p>
<p class="notice note" data-keyless hidden>${label(t, reference.keyless)}</p>
<div class="reply-text" data-text dir="auto" role="group" aria-label="${reference.answerText}" hidden></div>
<pre tabindex="0" role="group" aria-label="${reference.reply}" data-raw hidden></pre>
<p data-file hidden><a class="button quiet" download>${label(t, reference.save)}</a></p></div></template>`
}
