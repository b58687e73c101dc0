import type { FastifyRequest } from 'fastify'
import { type Html, html, nothing } from './html.ts'

/** Rows of a list of the pages. */
const pageLength = 20

/** The page of a list, newest first, that the address of a page asks for under `name`. */
export function pageOfAddress(request: FastifyRequest, name = 'after') {
  const after = (request.query as Readonly<Record<string, unknown>>)[name]
  const known = typeof after === 'string' && after !== '' ? { after: printable(after) } : {}
  return { limit: pageLength, order: 'desc' as const, ...known }
}

/** What the path of a page names. */
export function namedId(request: FastifyRequest): string {
  return printable((request.params as { readonly id: string }).id)
}

/** No id has the NUL character, which Postgres refuses: such a one names nothing. */
function printable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** The way to the older rows of a list; nothing when there are none. */
export function pager(
  list: { readonly items: readonly { readonly id: string }[]; readonly hasMore: boolean },
  path: string,
  name = 'after',
): Html {
  const last = list.items.at(-1)?.id
  if (!list.hasMore || last === undefined) return nothing
  const address = `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(last)}`
  return html`<p class="pager"><a href="${address}">Older</a></p>`
}
