import { setImmediate } from 'node:timers/promises'
import type { ApiDescription } from '../../../http/openapi/document.ts'
import { type Html, html, nothing, trusted } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type ApiDocument, callsOf } from './api-description.ts'
import { operationView, type Shown } from './operation-view.ts'
import { nestedMembers, prose, schemaMembers } from './schema-view.ts'
import { replyTemplate } from './try-form.ts'

type View = (t: Texts, baseUrl: string) => Promise<Html>

/** The API as markup. It is the same for everybody, so the last one of each language is kept. */
export function createReferenceView(description: ApiDescription): View {
  const kept = new Map<string, { readonly baseUrl: string; readonly markup: Promise<string> }>()
  let api: ApiDocument | undefined
  return async (t, baseUrl) => {
    api ??= JSON.parse(description.json()) as ApiDocument
    const last = kept.get(t.language)
    const shown = { t, api, baseUrl }
    const now = last?.baseUrl === baseUrl ? last : { baseUrl, markup: rendered(shown) }
    kept.set(t.language, now)
    return trusted(await now.markup)
  }
}

async function rendered(shown: Shown): Promise<string> {
  const { t, api } = shown
  const groups = await inTurn(api.tags, (tag) => group(shown, tag))
  const markup = html`${contents(t, api)}<div class="api-list" dir="ltr" lang="en">${prose(api.info.description)}
${groups}${await objects(t, api)}${replyTemplate(t)}</div>`
  return String(await markup)
}

/** Renders one after the other. Other requests are answered in between, because all together take 0.2 s. */
async function inTurn<Item>(
  items: readonly Item[],
  render: (item: Item) => Html | Promise<Html>,
): Promise<readonly Html[]> {
  const parts: Html[] = []
  for (const item of items) {
    parts.push(await render(item))
    await setImmediate()
  }
  return parts
}

const groupId = (name: string) => `group-${name.toLowerCase()}`

function contents({ reference }: Texts, { tags }: ApiDocument): Html {
  return html`<nav class="contents" aria-label="${reference.contents}"><ul>${tags.map(
    ({ name }) => html`<li><a href="#${groupId(name)}">${reference.groups[name]?.name ?? name}</a></li>`,
  )}<li><a href="#objects">${reference.objects}</a></li></ul></nav>`
}

async function group(shown: Shown, { name, description }: ApiDocument['tags'][number]): Promise<Html> {
  const { t, api } = shown
  const operations = await inTurn(callsOf(api, name), (call) => operationView(shown, call))
  const own = t.reference.groups[name]
  return html`<section class="group" data-group><div class="label" lang="${t.language}" dir="${t.direction}"><h2
id="${groupId(name)}">${own?.name ?? name}</h2><p class="faint">${own?.about ?? description}</p></div>
${operations}</section>`
}

/** The objects that have a name, each once: types of members are links to them. */
async function objects(t: Texts, { components }: ApiDocument): Promise<Html> {
  const entries = await inTurn(
    Object.entries(components.schemas),
    ([name, schema]) => html`<details class="object"><summary><h3><code>${name}</code></h3></summary>
<div id="object-${name}">${schema.description === undefined ? nothing : prose(schema.description)}
${Object.keys(schema.properties ?? {}).length > 0 ? schemaMembers(t, schema, [name]) : nestedMembers(t, schema, [name])}
</div></details>`,
  )
  return html`<section class="group"><div class="label" lang="${t.language}" dir="${t.direction}"><h2
id="objects">${t.reference.objects}</h2></div>${entries}</section>`
}
