import { type Html, html, nothing, trusted } from '../components/html.ts'
import type { Texts } from '../texts/catalogue.ts'
import { type Theme, themes } from '../visitors/preferences.ts'
import type { Visitor } from '../visitors/visitor.ts'

/** What the frame shows of a page. */
export type Framed = {
  readonly title: string
  /** The section to highlight in the navigation. */
  readonly section?: Section
  readonly main: Html
  /** Modules of `assets/` that the page loads, in addition to that of every page. */
  readonly scripts?: readonly string[]
  /** Uses the whole width of the window, for example for a reader with two columns. */
  readonly wide?: boolean
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
  /** The reader may change nothing of what the page shows: such forms are hidden. The server refuses them too. */
  readonly readsOnly: boolean
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
<main id="main" tabindex="-1" class="${page.wide ? 'wide' : ''}${around.readsOnly ? ' reads-only' : ''}">
${page.main}
</main>
${footer(around)}
${helpDialog(t)}
<div class="toasts" id="toasts" aria-live="polite"></div>
</body>
</html>`
}

function head(page: Framed, { t, theme, appName, assets, fonts, nonce, styles }: Surroundings): Html {
  const { title, scripts = [] } = page
  const schemes = theme === 'system' ? 'light dark' : theme
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${schemes}">
<title>${title} · ${appName ?? t.frame.product}</title>
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
${fonts.map((name) => fontPreload(`${assets}/fonts/${name}.woff2`))}
<style nonce="${nonce}">${trusted(styles)}</style>
${['frame.js', ...scripts].map(
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
<button class="as-link" type="button" command="show-modal" commandfor="shortcuts">${t.frame.shortcuts}</button></p>
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

export type Section =
  | 'ask'
  | 'library'
  | 'sheets'
  | 'projects'
  | 'usage'
  | 'settings'
  | 'operator'
  | 'reference'

export type Link = { readonly id: Section; readonly href: string; readonly label: string }

/** A link of the navigation; that of the page's own section is marked. */
export function navLink({ id, href, label }: Link, section: Section | undefined): Html {
  return html`<a href="${href}"${id === section ? html` aria-current="page"` : nothing}>${label}</a>`
}

/** A button with the name of the other language. @param here path of the page that is shown again. */
export function languageSwitch({ frame }: Texts, here: string): Html {
  const { code, name } = frame.otherLanguage
  return html`<form class="language" method="post" action="/preferences">
<input type="hidden" name="next" value="${here}">
<button class="quiet" name="language" value="${code}" lang="${code}">${name}</button></form>`
}

/** Three buttons: the colours of the system, light, dark. */
function colourSwitch({ frame }: Texts, theme: Theme, here: string): Html {
  return html`<form class="colours" method="post" action="/preferences">
<input type="hidden" name="next" value="${here}"><div class="switch" role="group" aria-label="${frame.theme}">
${themes.map(
  (one) =>
    html`<button name="theme" value="${one}" aria-pressed="${String(one === theme)}">${frame.themes[one]}</button>`,
)}</div></form>`
}

/**
 * A round button with the first letter of the e-mail address, and the menu that it opens. A popover closes with Escape
 * and gives the focus back without scripts.
 */
function accountMenu(t: Texts, visitor: Visitor, section: Section | undefined, here: string): Html {
  const { email } = visitor.person
  return html`<button type="button" class="quiet account-button" popovertarget="account"
aria-label="${t.frame.account}">${email.slice(0, 1).toUpperCase()}</button>
<div class="account-menu menu-list" id="account" popover>
<p class="email" dir="ltr">${email}</p>
<nav aria-label="${t.frame.account}">${ownLinks(t, visitor).map((link) => navLink(link, section))}</nav>
${languageSwitch(t, here)}
<form method="post" action="/signout"><button>${t.frame.signOut}</button></form></div>`
}

function ownLinks({ frame }: Texts, { person: { operator }, role }: Visitor): readonly Link[] {
  const settings = role === 'viewer' ? '/settings/members' : '/settings/keys'
  const own: readonly Link[] = [
    { id: 'usage', href: '/usage', label: frame.usage },
    { id: 'settings', href: settings, label: frame.settings },
  ]
  return operator ? [...own, { id: 'operator', href: '/operator', label: frame.operator }] : own
}
