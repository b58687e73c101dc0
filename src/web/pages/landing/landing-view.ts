import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import type { Page } from '../../components/page.ts'
import { directionOf, markedText } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { excerptOf } from '../previews/excerpt.ts'
import type { WebServices } from '../services.ts'
import type { Example } from './example.ts'

/** What the service is: one sentence, a checked quotation, questions to ask, and the ways in. */
export function landingPage(
  t: Texts,
  { settings }: Pick<WebServices, 'settings'>,
  example: Example | undefined,
): Page {
  const { landing } = t
  const start =
    settings.signUp === 'open'
      ? html`<a class="button quiet" href="/signup">${landing.start}</a>`
      : html`<a class="button quiet" href="/signin">${t.account.signIn}</a>`
  return {
    title: landing.title,
    sheets: ['landing'],
    wide: true,
    main: html`<section class="hero"><h1>${landing.promise}</h1>
<p class="lead">${landing.about}</p>
${askBox(t)}
<ul class="row questions" aria-label="${landing.askTitle}">${landing.questions.map(questionLink)}</ul>
<p class="row ways-in">${start} <a href="/library">${landing.browse}</a></p></section>
${example ? exampleView(t, example) : nothing}
<section class="ways">
<div class="card"><h2>${landing.libraryTitle}</h2><p>${landing.libraryAbout}</p>
<p><a href="/library">${landing.openLibrary}</a></p></div>
<div class="card"><h2>${landing.apiTitle}</h2><p>${landing.apiAbout}</p>
<p class="row"><a class="button quiet" href="/settings/keys/new">${landing.getKey}</a>
<a href="/docs">${t.frame.apiReference}</a></p></div></section>`,
  }
}

/** The question is asked after signing in. */
function askBox({ ask }: Texts): Html {
  return html`<form class="hero-ask" action="/ask" role="search">
<input type="search" name="question" required maxlength="2000" dir="auto" autocomplete="off"
aria-label="${ask.question}" placeholder="${ask.placeholder}"><button>${ask.send}</button></form>`
}

function questionLink(question: string): Html {
  return html`<li><a href="/ask?question=${encodeURIComponent(question)}">${question}</a></li>`
}

/** A question, a quotation of an answer, and the passage with the quoted words marked. */
function exampleView(
  { landing, library, language: ofPage }: Texts,
  { passage, quote, found }: Example,
): Html {
  const ref = ofPage === 'he' && passage.heRef ? passage.heRef : passage.ref
  const cut = excerptOf(passage.text, [found], quote.length + 150)
  const language = html`lang="${passage.language}" dir="${directionOf(passage.language)}"`
  return html`<figure class="example card">
<figcaption>${landing.example}</figcaption>
<p class="example-question">${landing.questions[0]}</p>
<div class="example-body"><blockquote class="text" ${language}><q>${quote}</q>
<span class="checked">${landing.checked}</span></blockquote>
<div class="example-source"><p><a href="${readHref(passage.ref, { quote })}" dir="auto">${ref}</a></p>
<p class="text" ${language}>${markedText(cut.text, cut.spans)}</p>
<p class="faint"><bdi>${library.versionName(passage.version)}</bdi> · <bdi>${library.licenceName(passage.license)}</bdi>
</p></div></div>
</figure>`
}
