import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Framed, frame, type Section } from '../frame/frame.ts'
import { textsOf, themeOf } from '../visitors/preferences.ts'
import { contentPolicy } from '../visitors/security-headers.ts'
import { type Html, html, nothing } from './html.ts'

export type Page = Framed & {
  /** Style sheets of `assets/`, in addition to those of every page. */
  readonly sheets?: readonly string[]
  /** The page of a GET shows a secret link. It is sent without compression. */
  readonly hasSecret?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What all pages show: the product's name if the operator has set one, and the path of the assets. */
    readonly pages: {
      readonly appName: string | undefined
      readonly assets: string
      /** The text of the styles of every page and of these style sheets. */
      readonly stylesOf: (sheets: readonly string[]) => string
    }
  }
}

/** Style sheets and sections of pages that show texts of the library. */
const withHebrew: ReadonlySet<string | undefined> = new Set<Section | string>([
  ...['ask', 'library', 'sheets'],
  ...['sources', 'sheet'],
])

/** Sends a page with the header, navigation and footer of all pages, in the language and colours of the reader. */
export async function sendPage(reply: FastifyReply, page: Page, status = 200): Promise<FastifyReply> {
  const { request } = reply
  const nonce = randomBytes(16).toString('base64url')
  const t = textsOf(request)
  const hasHebrew =
    t.language === 'he' || [page.section, ...(page.sheets ?? [])].some((name) => withHebrew.has(name))
  const markup = await frame(page, {
    ...request.server.pages,
    styles: request.server.pages.stylesOf(page.sheets ?? []),
    t,
    fonts: hasHebrew ? ['latin', 'hebrew'] : ['latin'],
    theme: themeOf(request),
    visitor: request.visitor,
    nonce,
    readsOnly: request.visitor?.role === 'viewer' && isOfAccount(request),
    // The answer to a form has an address that may exist for forms only; a page that is not there shows no address.
    here: request.method === 'GET' && status !== 404 ? request.url : '/',
  })
  reply
    .header('content-security-policy', contentPolicy(nonce))
    .status(status)
    .type('text/html; charset=utf-8')
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  // The size of a compressed page tells a secret of it to someone who can add words to the page and watch the network.
  const hasSecret = page.hasSecret || request.method !== 'GET'
  // Replies about things that are missing and things of others have the same length.
  if (!takesGzip || hasSecret || status !== 200) return reply.send(String(markup))
  return reply
    .headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    .send(await promisify(gzip)(String(markup)))
}

/** Sends a part of a page, for a script. */
export async function sendPart(reply: FastifyReply, part: Html): Promise<FastifyReply> {
  return reply.type('text/html; charset=utf-8').send(String(await part))
}

/** Whether the page shows what belongs to the account acted for, and not to the person. */
function isOfAccount({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.page === 'account' && config.role !== 'person'
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

/** Tabs of a section; the current one is highlighted. @param label names them for screen readers. */
export function tabs(
  items: readonly { readonly href: string; readonly label: string }[],
  present: string,
  label: string,
): Html {
  return html`<nav class="tabs" aria-label="${label}">${items.map(
    ({ href, label }) =>
      html`<a href="${href}"${href === present ? html` aria-current="page"` : nothing}>${label}</a>`,
  )}</nav>`
}

/** Whether a browser opens the address in a window: what scripts fetch as a part of a page is no page of its own. */
export function isNavigation({ headers }: FastifyRequest): boolean {
  const dest = headers['sec-fetch-dest']
  if (dest !== undefined) return dest === 'document'
  // Without TLS browsers do not say it. They accept several types for a window; scripts accept any, or HTML alone.
  return headers.accept?.startsWith('text/html,') === true
}
