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

/** The id in the path of a page. */
export function namedId(request: FastifyRequest): string {
  return printable((request.params as { readonly id: string }).id)
}

/** Postgres refuses the NUL character and no id contains it. An id with NUL therefore matches nothing. */
function printable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** Link to the older rows of a list; nothing when there are none. */
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
