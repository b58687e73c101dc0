import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { openObjectStore, type S3Settings } from '../../src/workspace/s3.ts'
import { close, listen } from './loopback.ts'

/**
 * A scripted S3 server: the requests that the service sends, and their refusals. It refuses a signature (version 4) with
 * another secret, a body with another checksum than its headers say, and a bucket that does not exist. No package of the
 * npm registry does: they take any signature or any checksum, or know no end of a multipart upload.
 */
export type S3Server = {
  readonly settings: S3Settings
  readonly objects: Map<string, Buffer>
  /** Multipart uploads that were begun, and neither completed nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>
  /** Waits before a request such as `PUT s3://bucket/key` is answered. If it throws, there is no answer. */
  before(wait: (request: string) => Promise<void> | void): void
  /** Nothing listens at the address until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
}

const bucket = 'files'
const keys = { accessKeyId: 'test', secretAccessKey: 'a secret for tests only' }

type Reply = { readonly status: number; readonly headers?: object; readonly content?: Buffer | string }

type Asked = {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly range: string | undefined
  readonly body: Buffer
}

export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  let wait: (request: string) => Promise<void> | void = () => undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://s3')
    const { method = '', headers } = request
    await wait(`${method} s3:/${pathname}`)
    const [, name, ...rest] = pathname.split('/')
    const asked = { method, key: rest.join('/'), query, range: headers.range, body }
    const refusal = refusalOf(request, body) ?? (name === bucket ? undefined : refused(404, 'NoSuchBucket'))
    const { status, headers: given, content } = refusal ?? replyTo(asked)
    response.writeHead(status, { 'content-length': content?.length ?? 0, ...given })
    response.end(method === 'HEAD' ? undefined : content)
  }

  function replyTo(asked: Asked): Reply {
    if (asked.query.has('uploads') || asked.query.has('uploadId')) return multipart(asked)
    const { method, key, body } = asked
    const stored = objects.get(key)
    if (method === 'PUT') objects.set(key, body)
    else if (method === 'DELETE') objects.delete(key)
    else return stored ? ranged(stored, asked.range) : refused(404, 'NoSuchKey')
    return method === 'PUT' ? { status: 200, headers: { etag: '"1"' } } : { status: 204 }
  }

  function multipart({ method, key, query, body }: Asked): Reply {
    if (query.has('uploads')) {
      const id = `upload ${uploads.size} of ${key}`
      uploads.set(id, new Map())
      return { status: 200, content: `<Initiated><UploadId>${id}</UploadId></Initiated>` }
    }
    const id = query.get('uploadId') ?? ''
    const parts = uploads.get(id)
    if (!parts) return refused(404, 'NoSuchUpload')
    if (method === 'PUT') {
      parts.set(Number(query.get('partNumber')), body)
      return { status: 200, headers: { etag: '"1"' } }
    }
    uploads.delete(id)
    if (method === 'DELETE') return { status: 204 }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number))
    const whole = named.map((number) => parts.get(number) ?? Buffer.alloc(0))
    if (whole.slice(0, -1).some(({ length }) => length < 5 * 1024 * 1024))
      return refused(400, 'EntityTooSmall')
    objects.set(key, Buffer.concat(whole))
    return { status: 200, content: '<Completed><ETag>1</ETag></Completed>' }
  }

  let server: Server
  let port = 0
  const start = async () => {
    server = createServer(
      (request, response) => void answer(request, response).catch(() => response.destroy()),
    )
    port = await listen(server, port)
  }
  await start()
  return {
    settings: {
      url: `s3://${bucket}/here`,
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: keys,
    },
    ...{ objects, uploads, start },
    before(given) {
      wait = given
    },
    stop: () => close(server),
  }
}

function ranged(stored: Buffer, range: string | undefined): Reply {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  if (from === undefined) return { status: 200, content: stored }
  if (Number(from) >= stored.length) return refused(416, 'InvalidRange')
  return { status: 206, content: stored.subarray(Number(from), Number(to) + 1) }
}

export const storeAt = ({ settings }: S3Server, changed: Partial<S3Settings> = {}) =>
  openObjectStore({ ...settings, ...changed })

const refused = (status: number, code: string): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  content: `<Error><Code>${code}</Code><Message>${code} of the scripted server</Message></Error>`,
})

const sha256 = (body: Buffer | string) => createHash('sha256').update(body)
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

function refusalOf({ method, url, headers }: IncomingMessage, body: Buffer): Reply | undefined {
  const hash = String(headers['x-amz-content-sha256'])
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body).digest('hex'))
    return refused(400, 'XAmzContentSHA256Mismatch')
  const checksum = headers['x-amz-checksum-sha256']
  if (method === 'PUT' && checksum !== sha256(body).digest('base64')) return refused(400, 'BadDigest')
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/
  const [, id, scope = '', signed = '', signature] = pattern.exec(headers.authorization ?? '') ?? []
  if (id !== keys.accessKeyId) return refused(403, 'InvalidAccessKeyId')
  const { pathname, searchParams } = new URL(url ?? '', 'http://s3')
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, pathname, query.join('&'), lines.join(''), signed, hash].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical).digest('hex')].join('\n')
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${keys.secretAccessKey}`) as Buffer
  return hmac(key, text).toString('hex') === signature ? undefined : refused(403, 'SignatureDoesNotMatch')
}
