import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentPolicy } from '../visitors/security-headers.ts'
import type { Visitor } from '../visitors/visitor.ts'
import { type Html, html, nothing } from './html.ts'

export type Section = 'ask' | 'library' | 'projects' | 'usage' | 'settings' | 'operator'

export type Page = {
  readonly title: string
  /** The section to highlight in the navigation. */
  readonly section?: Section
  readonly main: Html
  /** Modules of `assets/` that the page loads. */
  readonly scripts?: readonly string[]
  /** Style sheets of `assets/`, in addition to those of every page. */
  readonly sheets?: readonly string[]
  /** Uses the whole width of the window, for example for a reader with two columns. */
  readonly wide?: boolean
}

const sheets = ['base', 'forms', 'lists', 'texts', 'frame']

const sections: readonly { readonly id: Section; readonly href: string; readonly label: string }[] = [
  { id: 'ask', href: '/ask', label: 'Ask' },
  { id: 'library', href: '/library', label: 'Library' },
  { id: 'projects', href: '/projects', label: 'Projects' },
  { id: 'usage', href: '/usage', label: 'Usage' },
  { id: 'settings', href: '/settings/keys', label: 'Settings' },
]

/** Sends a page with the header, navigation and footer of all pages. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  status = 200,
): Promise<FastifyReply> {
  const nonce = page.scripts?.length ? randomBytes(16).toString('base64url') : undefined
  if (nonce !== undefined) reply.header('content-security-policy', contentPolicy(nonce))
  const markup = await frame(page, request.visitor, nonce)
  return reply.status(status).type('text/html; charset=utf-8').send(String(markup))
}

function frame(page: Page, visitor: Visitor | null, nonce: string | undefined): Html {
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Chat service</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="preload" href="/assets/fonts/hebrew.woff2" as="font" type="font/woff2" crossorigin>
${[...sheets, ...(page.sheets ?? [])].map((name) => html`<link rel="stylesheet" href="/assets/${name}.css">`)}
${(page.scripts ?? []).map((name) => html`<script type="module" nonce="${nonce}" src="/assets/${name}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">
<a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="26" height="26">
<span>Chat service</span></a>
${visitor ? navigation(visitor, page.section) : signedOut(page.section)}
</div></header>
<main id="main" class="${page.wide ? 'wide' : ''}">
${page.main}
</main>
<footer class="foot"><p>Answers cite sources; they are not halachic rulings. Each quotation shows how it was
checked. · <a href="/docs">API</a></p></footer>
</body>
</html>`
}

function navigation(visitor: Visitor, section: Section | undefined): Html {
  const shown = visitor.account.operator
    ? [...sections, { id: 'operator' as const, href: '/operator', label: 'Operator' }]
    : sections
  return html`<nav aria-label="Main">
${shown.map(
  ({ id, href, label }) =>
    html`<a href="${href}"${id === section ? html` aria-current="page"` : nothing}>${label}</a>`,
)}
</nav>
<form class="who" method="post" action="/signout">
<span class="email" title="${visitor.account.email}">${visitor.account.email}</span>
<button class="quiet">Sign out</button></form>`
}

function signedOut(section: Section | undefined): Html {
  const here = section === 'library' ? html` aria-current="page"` : nothing
  return html`<nav aria-label="Main"><a href="/library"${here}>Library</a><a href="/signin">Sign in</a></nav>`
}

/** A message above a form or a list: an error, or what was done. */
export function notice(kind: 'problem' | 'done' | 'note', text: unknown): Html {
  return html`<p class="notice ${kind}" role="${kind === 'problem' ? 'alert' : 'status'}">${text}</p>`
}

/** The notice of a form that came back or was done; nothing without either. */
export function outcomeNotice(outcome: {
  readonly problem?: string | undefined
  readonly done?: string | undefined
}): Html {
  if (outcome.problem) return notice('problem', outcome.problem)
  return outcome.done ? notice('done', outcome.done) : nothing
}

/** Shown in place of an empty list: what belongs there, and what to do. */
export function emptyState(title: string, text: unknown): Html {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p></div>`
}

/** Tabs of a section; the current one is highlighted. */
export function tabs(
  items: readonly { readonly href: string; readonly label: string }[],
  present: string,
): Html {
  return html`<nav class="tabs" aria-label="Section">${items.map(
    ({ href, label }) =>
      html`<a href="${href}"${href === present ? html` aria-current="page"` : nothing}>${label}</a>`,
  )}</nav>`
}
