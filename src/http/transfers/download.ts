import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { type FileStores, readStream } from '../../workspace/content.ts'
import type { FileVersion, StoredFile } from '../../workspace/files.ts'

/**
 * Sends one version of a file: all of it, the part in `Range` (206), or no body when the client has this
 * version (304).
 * @throws ServiceError `range_not_satisfiable` when the range starts after the end; `file_store_unavailable` before the
 * first byte.
 */
export async function sendContent(
  stores: FileStores,
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  version: FileVersion,
): Promise<FastifyReply> {
  const tag = `"${version.sha256}"`
  // Clients must revalidate: a version never changes, but a newer one can replace it. The content is private
  // to the holder of the key.
  reply.header('etag', tag).cacheControl('private').cacheControl('no-cache')
  if (namesTag(request.headers['if-none-match'], tag)) return reply.status(304).send()
  const range = requestedRange(request, reply, version.bytes, tag)
  const { start, end } = range ?? { start: 0, end: version.bytes }
  // Fastify sends no body for HEAD, but would read all of it first.
  const pieces = request.method === 'HEAD' ? [] : readStream(stores, version, { start, end })
  const content = Readable.from(pieces, { objectMode: false })
  // Until its first bytes are there, a fault can be told by the status.
  await once(content, 'readable')
  attachmentHeaders(reply, file.name, version.contentType)
  reply.header('accept-ranges', 'bytes').header('content-length', end - start)
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${version.bytes}`)
  return reply.send(content)
}

/** A range applies only if the client's other parts come from this version (`If-Range`). */
function requestedRange(request: FastifyRequest, reply: FastifyReply, size: number, tag: string) {
  const condition = request.headers['if-range']
  if (condition !== undefined && condition !== tag) return undefined
  const range = parseRange(request.headers.range, size)
  if (range !== 'unsatisfiable') return range
  reply.header('content-range', `bytes */${size}`)
  throw new ServiceError(
    'range_not_satisfiable',
    `The range starts after the end of the file, which has ${size} bytes. Ask for an earlier range.`,
  )
}

/**
 * Scripts and styles are sent as plain bytes: with `nosniff` no page can run or apply them, whatever its
 * policy allows. Other types are sent as uploaded.
 */
function inertType(contentType: string): string {
  return /script|css|xsl|wasm/i.test(contentType) ? 'application/octet-stream' : contentType
}

/**
 * The headers of a download that browsers store under a name and never render: an uploaded page must not run in a
 * browser that trusts this host.
 */
export function attachmentHeaders(reply: FastifyReply, name: string, contentType: string): void {
  const ascii = name.replaceAll(/[^\u0020-\u007e]|["\\%]/g, '_')
  // RFC 6266, with the extended value of RFC 8187 for names that are not ASCII.
  const extended = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  reply
    .header('content-type', inertType(contentType))
    .header('content-disposition', `attachment; filename="${ascii}"; filename*=UTF-8''${extended}`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', 'sandbox')
}

/** A range of bytes; `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

/**
 * Parses a `Range` header (RFC 9110, section 14).
 * @param size bytes of the whole content.
 * @returns undefined when the whole content is sent: no header, another unit, several ranges or an invalid
 * range; `unsatisfiable` when the range starts after the end.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '')
  if (!match) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/**
 * Whether an `If-None-Match` header contains this tag. Uses the weak comparison that RFC 9110 requires for
 * this header.
 */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((item) => {
    const named = item.trim()
    return named === '*' || named.replace(/^W\//, '') === tag
  })
}
