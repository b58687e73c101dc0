import { type IncomingHttpHeaders, request as open } from 'node:http'
import type { TestService } from './world/service.ts'

export type Reply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
}

export type Call = {
  readonly method: string
  /** Sent unchanged, whereas `fetch` would normalise it. */
  readonly path: string
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | undefined
}

/** Sends one request on its own socket, with path, headers and bytes exactly as given. */
export function send(
  service: Pick<TestService, 'url'>,
  { method, path, key, headers = {}, body }: Call,
): Promise<Reply> {
  const { hostname, port } = new URL(service.url)
  const sent = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers }
  return new Promise((resolve, reject) => {
    const request = open({ hostname, port, method, path, headers: sent, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.once('error', reject)
      response.once('end', () => {
        const bytes = Buffer.concat(parts)
        const { headers } = response
        resolve({ status: response.statusCode ?? 0, headers, bytes, text: bytes.toString('utf8') })
      })
    })
    request.once('error', reject)
    request.end(body)
  })
}

/** The same with a JSON body. */
export function sendJson(
  service: Pick<TestService, 'url'>,
  call: Omit<Call, 'body'> & { body: unknown },
): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...call.headers }
  return send(service, { ...call, headers, body: JSON.stringify(call.body) })
}

export type Part =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string
      readonly filename: string
      readonly content: string | Buffer
      readonly type?: string
    }

/** A multipart/form-data request, with the parts in the order given. */
export function form(parts: readonly Part[]): { headers: Record<string, string>; body: Buffer } {
  const boundary = '----test-boundary-7d3f'
  const pieces = parts.flatMap((part) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${part.name}"`
    if ('value' in part) return [Buffer.from(`${head}\r\n\r\n${part.value}\r\n`)]
    const type = part.type ?? 'application/octet-stream'
    return [
      Buffer.from(`${head}; filename="${part.filename}"\r\ncontent-type: ${type}\r\n\r\n`),
      Buffer.from(part.content),
      Buffer.from('\r\n'),
    ]
  })
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body }
}

/** The error object of a refusal; undefined for another body, so that comparisons fail. */
export function errorOf(
  reply: Reply,
): { message: string; type: string; param: string | null; code: string } | undefined {
  try {
    return JSON.parse(reply.text).error
  } catch {
    return undefined
  }
}

/** A reply without the headers that differ between requests: date, id, and rate limit. */
export function comparable(reply: Reply): unknown {
  const differing = /^(date|x-request-id|x-ratelimit-.*)$/
  const headers = Object.entries(reply.headers).filter(([name]) => !differing.test(name))
  return { status: reply.status, headers, text: reply.text }
}
