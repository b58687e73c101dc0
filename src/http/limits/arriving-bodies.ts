import type { ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
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

  /** Counts the bytes of a body without a length when they come. An error of the count leaves the request open for its reply. */
  function counted(payload: Readable, reply: ServerResponse, owner: string): Readable {
    let bytes = 0
    const counter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        try {
          take(owner, chunk.length)
        } catch (error) {
          return done(error as Error)
        }
        bytes += chunk.length
        done(null, chunk)
      },
    })
    // A body may be cut off when nobody reads it any more. Without a listener that would end the process.
    counter.on('error', () => undefined)
    reply.once('close', () => {
      if (!counter.writableEnded) counter.destroy(payload.errored ?? new Error('the body was cut off'))
    })
    afterArrival(payload, reply, () => giveBack(owner, bytes))
    return payload.pipe(counter)
  }

  app.addHook('preParsing', async (request, { raw: reply }, payload) => {
    const { headers } = request
    if (/^multipart\//i.test(headers['content-type'] ?? '')) return payload
    if (headers['transfer-encoding'] !== undefined) return counted(payload, reply, ownerOf(request))
    const bytes = Number(headers['content-length'] ?? 0)
    if (!(bytes > countedFrom) || bytes > request.routeOptions.bodyLimit) return payload
    const owner = ownerOf(request)
    take(owner, bytes)
    afterArrival(payload, reply, () => giveBack(owner, bytes))
    return payload
  })
}

/** Waits for the end of a body, or of the reply to it: a request that was refused before its end never closes. */
function afterArrival(body: Readable, reply: ServerResponse, giveBack: () => void): void {
  const once = () => {
    body.off('end', once)
    reply.off('close', once)
    giveBack()
  }
  body.once('end', once)
  reply.once('close', once)
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
