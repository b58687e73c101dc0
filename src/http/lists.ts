import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { wholeNumber } from './openapi/whole-number.ts'
import { idText } from './openapi/zod.ts'

/** Query parameters of every list. A `limit` above the maximum is an error; it is not reduced silently. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 1_000).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: idText.optional(),
})

export type ListBody<T> = {
  readonly object: 'list'
  readonly data: readonly T[]
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

export function listBody<T extends { readonly id: string }>(
  data: readonly T[],
  hasMore: boolean,
): ListBody<T> {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/** Bytes of a list of small rows, as JSON. */
const maxListBytes = 4 * 1024 * 1024

/** As `listBody`, without the rows that would make the body longer than 4 MiB. */
export function boundedListBody<T extends { readonly id: string }>(
  data: readonly T[],
  hasMore: boolean,
): ListBody<T> {
  let bytes = 0
  const end = data.findIndex((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row))
    return bytes > maxListBytes
  })
  return end > 0 ? listBody(data.slice(0, end), true) : listBody(data, hasMore)
}

/** The value of a `Link` header that names the next page of a list, for lists whose body cannot say that more follows. */
export function nextPageLink(request: FastifyRequest, after: string): string {
  const { pathname, searchParams } = new URL(request.url, 'http://host')
  searchParams.set('after', after)
  return `<${pathname}?${searchParams}>; rel="next"`
}

/** Whole Unix seconds, the form of all times in the API. */
export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}
