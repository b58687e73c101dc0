import type { FastifyRequest } from 'fastify'
import { type Html, html, nothing } from './html.ts'

/** Rows per page of a list. */
const pageLength = 20

/** Paging options of a list, newest first, from the query parameter `name`. */
export function pageOfAddress(request: FastifyRequest, name = 'after') {
  const after = (request.query as Readonly<Record<string, unknown>>)[name]
  const known = typeof after === 'string' && after !== '' ? { after: printable(after) } : {}
  return { limit: pageLength, order: 'desc' as const, ...known }
}

/** The moment before which a list of conversations begins, from the query parameter `older`. */
export function olderThan(request: FastifyRequest): Date | undefined {
  const { older } = request.query as Readonly<Record<string, unknown>>
  if (typeof older !== 'string' || older === '') return undefined
  const date = new Date(older)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The id in the path of a page. */
export function namedId(request: FastifyRequest): string {
  return printable((request.params as { readonly id: string }).id)
}

/** Postgres refuses the NUL character and no id contains it. An id with NUL therefore matches nothing. */
function printable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

export type PagerLink = { readonly label: string; readonly href: string }

/** Links to other pages of a list; nothing when there are none. Entries that are `false` are left out. */
export function pager(...links: readonly (PagerLink | false)[]): Html {
  const shown = links.filter((link) => link !== false)
  if (shown.length === 0) return nothing
  return html`<p class="pager">
${shown.map(({ label, href }) => html`<a class="button quiet" href="${href}">${label}</a> `)}</p>`
}

/** The link to the older rows of a list that `pageOfAddress` reads; `false` when there are none. */
export function olderPage(
  list: { readonly items: readonly { readonly id: string }[]; readonly hasMore: boolean },
  path: string,
  name: string,
  label: string,
): PagerLink | false {
  const last = list.items.at(-1)?.id
  if (!list.hasMore || last === undefined) return false
  const href = `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(last)}`
  return { label, href }
}
