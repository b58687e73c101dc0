import type { FastifyInstance } from 'fastify'
import type { ApiDescription } from '../../../http/openapi/document.ts'
import { originOf } from '../../../http/origin.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { type Page, sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { createReferenceView } from './reference-view.ts'

/** `/docs`: the API reference in the frame of the pages. */
export function referencePages(app: FastifyInstance, services: WebServices, api: ApiDescription): void {
  const view = createReferenceView(api)
  app.get('/docs', openToAll, async (request, reply) => {
    const t = textsOf(request)
    const operations = await view(t, originOf(services, request))
    return sendPage(request, reply, referencePage(t, operations, request.visitor !== null))
  })
}

function referencePage({ frame, reference }: Texts, operations: Html, isSignedIn: boolean): Page {
  return {
    title: reference.title,
    section: 'reference',
    sheets: ['reference'],
    scripts: ['copy.js', 'reference.js'],
    wide: true,
    main: html`<h1>${reference.title}</h1>
<p>${reference.about}</p>
<section class="card key-card"><h2>${reference.getKey}</h2>
<p>${reference.getKeyAbout}</p>
<p class="row"><a class="button" href="/settings/keys/new">${reference.getKey}</a>
${isSignedIn ? nothing : html`<a href="/signin?next=%2Fsettings%2Fkeys%2Fnew">${frame.signIn}</a>`}</p>
<form id="key-form" class="scripted"><label>${reference.yourKey}
<input type="password" id="key" autocomplete="off" spellcheck="false" dir="ltr" 
aria-describedby="key-hint"></label>
<p class="hint" id="key-hint">${reference.keyHint}</p></form></section>
<form id="filter-form" class="filters scripted" role="search"><label>${reference.find}
<input type="search" id="filter" autocomplete="off" dir="ltr"></label>
<p role="status" class="faint" id="found" data-none="${reference.none}"></p></form>
<noscript><p class="notice note">${reference.noScript}</p></noscript>
<div id="api" class="reference" data-sending="${reference.sending}"
data-receiving="${reference.receiving}" data-failed="${reference.failed}" data-stopped="${reference.stopped}"
data-cut="${reference.cut}">${operations}</div>
<p class="faint"><a href="/openapi.json"><code>openapi.json</code></a></p>`,
  }
}
