import { copyButton } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type ApiDocument, bodyType, type Call, refName, resolved, type Schema } from './api-description.ts'
import { curlCommand, exampleOf } from './examples.ts'
import { label, memberList, nestedMembers, prose, schemaMembers, typeOf } from './schema-view.ts'
import { tryForm } from './try-form.ts'

/** What all operations of a page share. */
export type Shown = { readonly t: Texts; readonly api: ApiDocument; readonly baseUrl: string }

/** The method, address and title of an operation. */
export function operationTitle({ method, path, summary }: Call): Html {
  return html`<span class="method ${method.toLowerCase()}"
>${method}</span> <code>${path}</code> <span class="title">${summary}</span>`
}

/** What an operation takes, what it replies, and a form that sends it. */
export function operationBody(shown: Shown, call: Call): Html {
  const { t, api } = shown
  const scope = t.reference.scope(html`<code>${call['x-scope']}</code>`)
  return html`<div class="facts-column">${call.description === undefined ? nothing : prose(call.description)}
<p class="faint">${label(t, scope)}</p>${parameters(t, call)}${body(t, api, call)}${replies(t, api, call)}</div>
<div class="try-column">${command(shown, call)}${tryForm(t, api, call)}</div>`
}

function parameters(t: Texts, { parameters }: Call): Html {
  if (parameters.length === 0) return nothing
  const members = parameters.map((one) => ({ ...one, required: one.required === true }))
  return html`<h4>${label(t, t.reference.parameters)}</h4>${memberList(t, members)}`
}

function body(t: Texts, api: ApiDocument, call: Call): Html {
  const type = bodyType(call)
  const schema = type === undefined ? undefined : call.requestBody?.content[type]?.schema
  if (!schema) return nothing
  return html`<h4>${label(t, t.reference.body)} <code class="type">${type}</code></h4>
${schemaMembers(t, resolved(api, schema))}`
}

/** Successes with their bodies, then a list of failures with their codes. */
function replies(t: Texts, api: ApiDocument, { responses }: Call): Html {
  const all = Object.entries(responses).map(
    ([status, reply]) => [status, api.components.responses[refName(reply) ?? ''] ?? reply] as const,
  )
  const failures = all.filter(([, reply]) => reply['x-codes'])
  const successes = all.filter(([, reply]) => !reply['x-codes'])
  return html`<h4>${label(t, t.reference.replies)}</h4>
${successes.flatMap(([status, { content = {} }]) => {
  const contents = Object.entries(content)
  if (contents.length === 0) return html`<p><b>${status}</b></p>`
  return contents.map(([type, { schema }]) => success({ t, api, status, type, schema }))
})}
${
  failures.length === 0
    ? nothing
    : html`<h4>${label(t, t.reference.failures)}</h4>
<ul class="members">${failures.map(
        ([status, reply]) =>
          html`<li><b>${status}</b> ${reply['x-codes']?.map((code) => html`<code>${code}</code> `)}</li>`,
      )}</ul>`
}`
}

type Success = {
  readonly t: Texts
  readonly api: ApiDocument
  readonly status: string
  readonly type: string
  readonly schema: Schema
}

function success({ t, api, status, type, schema }: Success): Html {
  const example = type === 'application/json' ? exampleView(t, exampleOf(api, schema)) : nothing
  return html`<p><b>${status}</b> <code class="type">${type}</code> <span class="type">${typeOf(schema)}</span></p>
${nestedMembers(t, resolved(api, schema), [status])}${example}`
}

function exampleView(t: Texts, example: unknown): Html {
  const text = JSON.stringify(example, null, 2)
  return html`<details><summary>${label(t, t.reference.example)}</summary>
<pre tabindex="0" role="group" aria-label="${t.reference.example}"><code>${text}</code></pre></details>`
}

function command({ t, api, baseUrl }: Shown, call: Call): Html {
  const id = `${call.operationId}-curl`
  const text = curlCommand(api, call, baseUrl)
  return html`<div class="curl"><pre tabindex="0" role="group" aria-label="${t.keys.theCommand}"><code
id="${id}">${text}</code></pre>${copyButton(t, id, t.common.copyWhat(t.keys.theCommand))}</div>`
}
