import { type Html, html, nothing, trusted } from '../components/html.ts'
import type { Texts } from '../texts/catalogue.ts'
import type { Theme } from '../visitors/preferences.ts'
import type { Visitor } from '../visitors/visitor.ts'
import { accountMenu } from './account-menu.ts'
import { type Link, navLink, type Section } from './nav-link.ts'
import { colourSwitch, languageSwitch } from './switches.ts'

export type { Section }

/** What the frame shows of a page. */
export type Framed = {
  readonly title: string
  readonly section?: Section
  readonly main: Html
  readonly scripts: readonly string[]
  readonly wide: boolean
  /** The reader may change nothing of what the page shows: such forms are hidden. The server refuses them too. */
  readonly readsOnly: boolean
}

/** What the frame has to know beside the page. */
export type Surroundings = {
  readonly t: Texts
  readonly visitor: Visitor | null
  readonly theme: Theme
  /** The product's name, as the operator has set it; the texts have one otherwise. */
  readonly appName: string | undefined
  /** Path of the folder with styles, scripts and fonts. It changes with their content. */
  readonly assets: string
  /** Fonts that the page needs at once. */
  readonly fonts: readonly ('latin' | 'hebrew')[]
  /** The style sheets of the page, as one text: a file would make the reader wait for another round trip. */
  readonly styles: string
  /** For the tags of the styles and the scripts. */
  readonly nonce: string
  /** Path that the reader returns to after a switch of language or colours. */
  readonly here: string
}

/** The whole document. */
export function frame(page: Framed, around: Surroundings): Html {
  const { t, theme } = around
  const colours = theme === 'system' ? nothing : html` data-theme="${theme}"`
  return html`<!doctype html>
<html lang="${t.language}" dir="${t.direction}"${colours}>
${head(page, around)}
<body>
<a class="skip" href="#main">${t.frame.skip}</a>
${header(page, around)}
${actingFor(around)}
<main id="main" tabindex="-1" class="${page.wide ? 'wide' : ''}${page.readsOnly ? ' reads-only' : ''}">
${page.main}
</main>
${footer(around)}
${helpDialog(t)}
<div class="toasts" id="toasts" aria-live="polite"></div>
</body>
</html>`
}

function head(page: Framed, { t, theme, appName, assets, fonts, nonce, styles }: Surroundings): Html {
  const { title, scripts } = page
  const schemes = theme === 'system' ? 'light dark' : theme
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${schemes}">
<title>${title} · ${appName ?? t.frame.product}</title>
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
${fonts.map((name) => fontPreload(`${assets}/fonts/${name}.woff2`))}
<style nonce="${nonce}">${trusted(styles)}</style>
${scripts.map(
  (name) =>
    html`<script type="module" fetchpriority="low" nonce="${nonce}" src="${assets}/${name}"></script>`,
)}
</head>`
}

function fontPreload(href: string): Html {
  return html`<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin>`
}

function header({ section }: Framed, { t, visitor, appName, assets, here }: Surroundings): Html {
  return html`<header class="top"><div class="bar">
<a class="brand" href="/"><img src="${assets}/icon.svg" alt="" width="26" height="26">
<span>${appName ?? t.frame.product}</span></a>
<nav aria-label="${t.frame.main}">${linksFor(t, visitor).map((link) => navLink(link, section))}</nav>
<div class="who">${
    visitor ? accountMenu(t, visitor, section, here) : html`${languageSwitch(t, here)}${signIn(t)}`
  }</div>
</div></header>`
}

function linksFor({ frame }: Texts, visitor: Visitor | null): readonly Link[] {
  const library = { id: 'library', href: '/library', label: frame.library } as const
  if (!visitor) return [library]
  return [
    { id: 'ask', href: '/ask', label: frame.ask },
    library,
    { id: 'sheets', href: '/sheets', label: frame.sheets },
    { id: 'projects', href: '/projects', label: frame.projects },
  ]
}

function signIn({ account }: Texts): Html {
  return html`<a class="button quiet" href="/signin">${account.signIn}</a>`
}

/** Below the header, because what is asked and changed here belongs to another account. */
function actingFor({ t, visitor }: Surroundings): Html {
  if (!visitor || visitor.account.id === visitor.person.id) return nothing
  const { members } = t
  const email = html`<bdi dir="ltr">${visitor.account.email}</bdi>`
  return html`<aside class="acting" aria-label="${members.switch}">
<a href="/settings/members">${members.actingFor(email)}</a>
<span>${members.roles[visitor.role]}</span></aside>`
}

function footer({ t, theme, here }: Surroundings): Html {
  return html`<footer class="foot"><div class="foot-in"><p>${t.frame.note}</p>
<p class="row foot-links"><a href="/docs">${t.frame.apiReference}</a>
<button class="as-link for-scripts" type="button" data-opens="shortcuts" hidden>${t.frame.shortcuts}</button></p>
${colourSwitch(t, theme, here)}</div></footer>`
}

/** Opened by `?` and by a button of the footer; both need scripts. */
function helpDialog({ frame, common }: Texts): Html {
  const { shortcutList } = frame
  const line = (keys: string, meaning: string) =>
    html`<div><dt><kbd>${keys}</kbd></dt><dd>${meaning}</dd></div>`
  return html`<dialog id="shortcuts" aria-labelledby="shortcuts-title">
<h2 id="shortcuts-title">${frame.shortcuts}</h2>
<dl class="shortcuts">${line('/', shortcutList.search)}${line('?', shortcutList.help)}
${line('Esc', shortcutList.escape)}</dl>
<form method="dialog"><button>${common.close}</button></form></dialog>`
}
