import type { FastifyInstance } from 'fastify'
import { html, nothing } from '../../components/html.ts'
import { type Page, sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'

/** `/docs`: the API reference in the frame of the pages. */
export function referencePages(app: FastifyInstance): void {
  app.get('/docs', openToAll, (request, reply) =>
    sendPage(request, reply, referencePage(textsOf(request), request.visitor !== null)),
  )
}

function referencePage({ frame, reference }: Texts, isSignedIn: boolean): Page {
  return {
    title: reference.title,
    section: 'reference',
    sheets: ['reference'],
    scripts: ['reference.js'],
    packaged: { sheets: ['swagger-ui.css'], scripts: ['swagger-ui-bundle.js'] },
    main: html`<h1>${reference.title}</h1>
<p>${reference.about}</p>
<section class="card key-card"><h2>${reference.getKey}</h2>
<p>${reference.getKeyAbout}</p>
<p class="row"><a class="button" href="/settings/keys/new">${reference.getKey}</a>
${isSignedIn ? nothing : html`<a href="/signin?next=%2Fsettings%2Fkeys%2Fnew">${frame.signIn}</a>`}</p>
<form id="key-form" hidden><label>${reference.yourKey}
<input type="password" id="key" autocomplete="off" spellcheck="false" dir="ltr" 
aria-describedby="key-hint"></label>
<p class="hint" id="key-hint">${reference.keyHint}</p></form></section>
<noscript><p class="notice note">${reference.noScript}</p></noscript>
<div id="api" dir="ltr" lang="en"></div>
<p class="faint"><a href="/openapi.json"><code>openapi.json</code></a></p>`,
  }
}
