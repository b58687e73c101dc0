import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../errors.ts'
import type { ApiDescription } from '../../../http/openapi/document.ts'
import { originOf } from '../../../http/origin.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { type Page, sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import type { ApiDocument } from './api-description.ts'
import type { Shown } from './operation-view.ts'
import { contentsView, entryView } from './reference-view.ts'

/** `/docs`: the operations and objects of the API; `/docs/:name`: one of them. */
export function referencePages(app: FastifyInstance, services: WebServices, api: ApiDescription): void {
  let parsed: ApiDocument | undefined
  const shownTo = (request: FastifyRequest): Shown => {
    parsed ??= JSON.parse(api.json()) as ApiDocument
    return { t: textsOf(request), api: parsed, baseUrl: originOf(services, request) }
  }

  app.get('/docs', openToAll, async (request, reply) => {
    const shown = shownTo(request)
    return sendPage(reply, contentsPage(shown, request.visitor !== null))
  })

  app.get<{ Params: { name: string } }>('/docs/:name', openToAll, async (request, reply) => {
    const shown = shownTo(request)
    const { name } = request.params
    const entry = entryView(shown, name)
    if (!entry) throw new ServiceError('not_found', 'The API has no such operation or object.')
    return sendPage(reply, entryPage(shown, name, entry, request.visitor !== null))
  })
}

const assets = {
  section: 'reference',
  sheets: ['reference'],
  scripts: ['copy.js', 'reference.js'],
  wide: true,
} as const

function contentsPage(shown: Shown, isSignedIn: boolean): Page {
  const { frame, reference } = shown.t
  return {
    ...assets,
    title: frame.apiReference,
    main: html`<h1>${frame.apiReference}</h1>
<p>${reference.about}</p>
${keyCard(shown, isSignedIn)}
<form id="filter-form" class="filters scripted" role="search"><label>${reference.find}
<input type="search" id="filter" autocomplete="off" dir="ltr"></label>
<p role="status" class="faint" id="found" data-none="${reference.none}"></p></form>
${api(shown, contentsView(shown))}
<p class="faint"><a href="/openapi.json"><code>openapi.json</code></a></p>`,
  }
}

function entryPage(shown: Shown, name: string, entry: Html, isSignedIn: boolean): Page {
  const { frame } = shown.t
  return {
    ...assets,
    title: `${name} · ${frame.apiReference}`,
    main: html`<h1><a href="/docs">${frame.apiReference}</a></h1>
${keyCard(shown, isSignedIn)}
${api(shown, entry)}`,
  }
}

function keyCard({ t: { account, landing, reference } }: Shown, isSignedIn: boolean): Html {
  return html`<section class="card key-card"><h2>${landing.getKey}</h2>
<p>${reference.getKeyAbout}</p>
<p class="row"><a class="button" href="/settings/keys/new">${landing.getKey}</a>
${isSignedIn ? nothing : html`<a href="/signin?next=%2Fsettings%2Fkeys%2Fnew">${account.signIn}</a>`}</p>
<form id="key-form" class="scripted"><label>${reference.yourKey}
<input type="password" id="key" autocomplete="off" spellcheck="false" dir="ltr" 
aria-describedby="key-hint"></label>
<p class="hint" id="key-hint">${reference.keyHint}</p></form></section>
<noscript><p class="notice note">${reference.noScript}</p></noscript>`
}

/** The part that the script works in, with the words that it shows. */
function api({ t: { reference } }: Shown, content: Html): Html {
  return html`<div id="api" class="reference" data-sending="${reference.sending}"
data-receiving="${reference.receiving}" data-failed="${reference.failed}" data-stopped="${reference.stopped}"
data-cut="${reference.cut}">${content}</div>`
}
