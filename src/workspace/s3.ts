import { Readable } from 'node:stream'
import { messageOf, ServiceError } from '../errors.ts'
import { within } from '../waiting/waiting.ts'
import { ContentLost, type ObjectStore } from './object-store.ts'

export type S3Settings = {
  readonly url: string | undefined
  /** Undefined: Amazon's. */
  readonly endpoint: string | undefined
  readonly region: string | undefined
  /** Undefined: those that the SDK finds. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

/** Time for a connection, for the reply to a request, and between two pieces of a content. */
const connectMs = 3_000
const replyMs = 30_000
const silenceMs = 30_000

/** Downloads keep their connection as long as their reader is slow. */
const maxSockets = 256

/** Loads the SDK, which most installations never need. */
async function load({ endpoint, region, credentials }: S3Settings) {
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  const client = new sdk.S3Client({
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(region && { region }),
    ...(credentials && { credentials }),
    maxAttempts: 2,
    // Not every service knows the newer checksums. Uploads name SHA-256, and a wrong one is refused.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: replyMs,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
    },
  })
  return { ...sdk, Upload, client }
}

/** The objects of an S3-compatible service. The first use of one opens the connection. */
export function openObjectStore(settings: S3Settings): ObjectStore {
  let loaded: ReturnType<typeof load> | undefined
  const open = () => (loaded ??= load(settings))

  return {
    url: settings.url,

    async put(location, content) {
      const { Upload, client } = await open()
      let sent: { readonly error: unknown } | undefined
      async function* watched() {
        const pieces = content[Symbol.asyncIterator]()
        const failed = (error: unknown) => {
          sent = { error }
          throw error
        }
        try {
          // Not `yield*`: the end of the upload would throw into the content.
          for (;;) {
            const next = await pieces.next().catch(failed)
            if (next.done) return
            yield next.value
          }
        } finally {
          await pieces.return?.()
        }
      }
      const body = Readable.from(watched(), { objectMode: false })
      const params = { ...placeOf(location), Body: body, ChecksumAlgorithm: 'SHA256' as const }
      try {
        await new Upload({ client, params, queueSize: 1 }).done()
      } catch (error) {
        throw sent ? sent.error : unavailable(location, error)
      } finally {
        body.destroy()
      }
    },

    async *get(location, { start, end }, signal) {
      if (start === end) return
      const { client, GetObjectCommand, NoSuchKey } = await open()
      const wanted = { ...placeOf(location), Range: `bytes=${start}-${end - 1}` }
      let left = end - start
      try {
        const { Body } = await client.send(new GetObjectCommand(wanted), signal && { abortSignal: signal })
        for await (const piece of unlessSilent(Body as Readable)) {
          left -= piece.length
          yield piece
        }
      } catch (error) {
        throw error instanceof NoSuchKey ? lost(location) : unavailable(location, error)
      }
      if (left !== 0) throw lost(location)
    },

    async size(location) {
      const { client, HeadObjectCommand, NotFound } = await open()
      try {
        return (await client.send(new HeadObjectCommand(placeOf(location)))).ContentLength
      } catch (error) {
        if (error instanceof NotFound) return undefined
        throw unavailable(location, error)
      }
    },

    async remove(location) {
      const { client, DeleteObjectCommand } = await open()
      try {
        await client.send(new DeleteObjectCommand(placeOf(location)))
      } catch (error) {
        throw unavailable(location, error)
      }
    },

    async check(url) {
      const { client, GetObjectCommand, NoSuchKey } = await open()
      try {
        await client.send(new GetObjectCommand(placeOf(`${url}/none`)))
      } catch (error) {
        // The reply to HEAD has no body, so it would not tell a missing bucket.
        if (!(error instanceof NoSuchKey)) throw unavailable(url, error)
      }
    },
  }
}

function placeOf(location: string): { readonly Bucket: string; readonly Key: string } {
  const [, Bucket = '', Key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(location) ?? []
  return { Bucket, Key }
}

const lost = (location: string) =>
  new ContentLost(`the object ${location} is missing or shorter than its file`)

/** A slow reader does not count, but a service that goes silent must not keep its reader forever. */
async function* unlessSilent(body: Readable): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await within(pieces.next(), silenceMs)
      if (!next) throw new Error(`no bytes for ${silenceMs / 1_000} s`)
      if (next.done) return
      yield next.value as Buffer
    }
  } finally {
    body.destroy()
  }
}

/** The cause is a text: an error of the connection would be taken for one of the database, which turns wait for. */
function unavailable(location: string, error: unknown): ServiceError {
  const store = placeOf(`${location}/`).Bucket
  return new ServiceError(
    'file_store_unavailable',
    `The file store s3://${store} does not work at present. Try again later, or ask the operator of the service.`,
    { retryAfterSeconds: 30, cause: reasonOf(error) },
  )
}

function reasonOf(error: unknown): string {
  const { name = '', code } = (error ?? {}) as { readonly name?: string; readonly code?: string }
  const kind = code ?? (name === 'Error' ? '' : name)
  return [kind, messageOf(error)].filter(Boolean).join(': ')
}
