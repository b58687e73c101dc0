import { type Html, html, nothing } from '../../components/html.ts'
import { type Call, callsOf } from './api-description.ts'
import { operationBody, operationTitle, type Shown } from './operation-view.ts'
import { nestedMembers, prose, schemaMembers } from './schema-view.ts'
import { replyTemplate } from './try-form.ts'

/** An operation by its id, or an object by its name, open; undefined if the description has neither. */
export function entryView(shown: Shown, name: string): Html | undefined {
  const call = shown.api.tags.flatMap((tag) => callsOf(shown.api, tag.name)).find(isNamed(name))
  const entry = call
    ? html`<details class="operation" open><summary><h3>${operationTitle(call)}</h3></summary>
<div class="operation-body" id="${name}">${operationBody(shown, call)}</div></details>`
    : objectEntry(shown, name)
  return entry && html`<div class="api-list" dir="ltr" lang="en">${entry}${replyTemplate(shown.t)}</div>`
}

const isNamed =
  (name: string) =>
  ({ operationId }: Call) =>
    operationId === name

function objectEntry({ t, api }: Shown, name: string): Html | undefined {
  const schema = Object.hasOwn(api.components.schemas, name) ? api.components.schemas[name] : undefined
  if (!schema) return undefined
  const members = Object.keys(schema.properties ?? {}).length > 0 ? schemaMembers : nestedMembers
  return html`<details class="object" open><summary><h3><code>${name}</code></h3></summary>
<div id="object-${name}">${schema.description === undefined ? nothing : prose(schema.description)}
${members(t, schema, [name])}</div></details>`
}

/** Every operation and object, closed. What one says is fetched from its own page when it is opened. */
export function contentsView(shown: Shown): Html {
  const { t, api } = shown
  // The first paragraph introduces the API, which the page has done.
  const [, ...conventions] = api.info.description.split('\n\n')
  return html`<nav class="contents" aria-label="${t.reference.contents}"><ul class="plain-list">${api.tags.map(
    ({ name }) => html`<li><a href="#${groupId(name)}">${t.reference.groups[name]?.name ?? name}</a></li>`,
  )}<li><a href="#objects">${t.reference.objects}</a></li></ul></nav>
<div class="api-list" dir="ltr" lang="en">${prose(conventions.join('\n\n'))}
${api.tags.map((tag) => group(shown, tag, callsOf(api, tag.name)))}${objects(shown)}${replyTemplate(t)}</div>`
}

const groupId = (name: string) => `group-${name.toLowerCase()}`

type Tag = { readonly name: string; readonly description: string }

function group({ t }: Shown, { name, description }: Tag, calls: readonly Call[]): Html {
  const own = t.reference.groups[name]
  return html`<section class="group" data-group><div class="label" lang="${t.language}" dir="${t.direction}"><h2
id="${groupId(name)}">${own?.name ?? name}</h2><p class="faint">${own?.about ?? description}</p></div>
${calls.map(
  (call) => html`<details class="operation"><summary><h3>${operationTitle(call)}</h3></summary>
<div class="operation-body" id="${call.operationId}" data-page="/docs/${call.operationId}">
${ownPage(call.operationId)}</div></details>`,
)}</section>`
}

function objects({ t, api }: Shown): Html {
  return html`<section class="group"><div class="label" lang="${t.language}" dir="${t.direction}"><h2
id="objects">${t.reference.objects}</h2></div>
${Object.keys(api.components.schemas).map(
  (name) => html`<details class="object"><summary><h3><code>${name}</code></h3></summary>
<div id="object-${name}" data-page="/docs/${name}">${ownPage(name)}</div></details>`,
)}</section>`
}

/** For readers without scripts. The script puts there what the page of the entry says. */
const ownPage = (name: string) => html`<p><a href="/docs/${name}"><code>/docs/${name}</code></a></p>`
