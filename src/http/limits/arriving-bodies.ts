import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { clientAddress } from '../connection/client-address.ts'

const mebibyte = 1024 * 1024

/** Bytes of bodies that may arrive at the same time: of an account, and from an address without one. */
export const arrivingBytes = Object.freeze({ account: 128 * mebibyte, address: 16 * mebibyte })

/** Smaller bodies do not count: the limits of requests per minute bound their memory. */
const countedFrom = 16 * 1024

/**
 * Limits the memory of bodies that have not arrived completely, in this process. A client can take two minutes to send
 * one, and could otherwise begin hundreds of large ones in that time. Uploads do not count, because they go to the
 * database as they arrive.
 */
export function registerArrivingBodies(app: FastifyInstance): void {
  const arriving = new Map<string, number>()

  function take(owner: string, bytes: number): void {
    const max = arrivingBytes[owner.startsWith('account ') ? 'account' : 'address']
    const taken = arriving.get(owner) ?? 0
    if (taken + bytes > max) throw tooMany(max)
    arriving.set(owner, taken + bytes)
  }

  function giveBack(owner: string, bytes: number): void {
    const left = (arriving.get(owner) ?? 0) - bytes
    if (left > 0) arriving.set(owner, left)
    else arriving.delete(owner)
  }

  async function* counted(payload: AsyncIterable<Buffer>, owner: string): AsyncGenerator<Buffer> {
    let bytes = 0
    try {
      for await (const chunk of payload) {
        take(owner, chunk.length)
        bytes += chunk.length
        yield chunk
      }
    } finally {
      giveBack(owner, bytes)
    }
  }

  app.addHook('preParsing', async (request, _reply, payload) => {
    const { headers, raw } = request
    if (/^multipart\//i.test(headers['content-type'] ?? '')) return payload
    // Without a length the bytes are counted when they come.
    if (headers['transfer-encoding'] !== undefined)
      return Readable.from(counted(payload as AsyncIterable<Buffer>, ownerOf(request)), { objectMode: false })
    const bytes = Number(headers['content-length'] ?? 0)
    if (!(bytes > countedFrom) || bytes > request.routeOptions.bodyLimit) return payload
    const owner = ownerOf(request)
    take(owner, bytes)
    raw.once('close', () => giveBack(owner, bytes))
    return payload
  })
}

function ownerOf(request: FastifyRequest): string {
  const { principal } = request
  return principal ? `account ${principal.accountId}` : `address ${clientAddress(request)}`
}

function tooMany(max: number): ServiceError {
  return new ServiceError(
    'rate_limit_exceeded',
    `Requests with ${max / mebibyte} MiB are arriving at the moment, which is the maximum. Try again in 1 s.`,
    { retryAfterSeconds: 1 },
  )
}
