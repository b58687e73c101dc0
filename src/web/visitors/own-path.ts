import type { FastifyRequest } from 'fastify'

/** A path of these pages; undefined for other values, which could redirect to another site. */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[^\s\\]*$/.test(text) || text.length > 2_000) return undefined
  return text
}

/** The page whose form was sent, if the browser says which one. `requireSameOrigin` has made sure that it is ours. */
export function pageBefore({ headers: { referer } }: FastifyRequest): string | undefined {
  const page = referer === undefined ? null : URL.parse(referer)
  return page ? ownPath(`${page.pathname}${page.search}`) : undefined
}
