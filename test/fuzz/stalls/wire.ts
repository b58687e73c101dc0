import { request as open } from 'node:http'
import process from 'node:process'
import type { WireReply, WireRequest } from './case.ts'

/** Bytes of a reply that are kept: enough for an id or a message. */
const keptBytes = 64 * 1024
/** A slower request is given up; its measurements are complete by then. */
const timeoutMs = 20_000

let sent = 0

/**
 * Uses another source address per request on Linux, where all of 127.0.0.0/8 is this machine. Limits by
 * address have other tests, and would refuse these requests.
 */
function addressOf(n: number): { readonly localAddress?: string } {
  if (process.platform !== 'linux') return {}
  return { localAddress: `127.${1 + ((n >> 16) % 250)}.${(n >> 8) & 255}.${1 + (n % 254)}` }
}

/**
 * @returns status 0 when the connection was closed, for example after a body that is too large, or after a
 * long silence.
 */
export function sendOver(url: string, { method, path, headers = {}, body }: WireRequest): Promise<WireReply> {
  sent += 1
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const cut = () => resolve({ status: 0, location: undefined, text: '' })
    try {
      const request = open(
        {
          hostname,
          port,
          method,
          path,
          headers,
          agent: false,
          ...addressOf(sent),
          signal: AbortSignal.timeout(timeoutMs),
        },
        (response) => {
          const parts: Buffer[] = []
          let kept = 0
          response.on('data', (part: Buffer) => {
            if (kept < keptBytes) parts.push(part)
            kept += part.length
          })
          response.once('error', cut)
          response.once('close', () =>
            resolve({
              status: response.statusCode ?? 0,
              location: response.headers.location,
              text: Buffer.concat(parts).toString('utf8'),
            }),
          )
        },
      )
      request.once('error', cut)
      request.end(body)
    } catch {
      // Node's client refuses to send this path or header.
      cut()
    }
  })
}
