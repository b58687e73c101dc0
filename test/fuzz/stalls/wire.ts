import { request as open } from 'node:http'
import process from 'node:process'
import type { WireReply, WireRequest } from './case.ts'

/** What stays of a reply: enough for an id or a message. */
const keptBytes = 64 * 1024
/** A request that takes longer is given up; the process has its findings by then. */
const timeoutMs = 20_000

let sent = 0

/**
 * Each request comes from an address of its own on Linux, where all of 127.0.0.0/8 is this machine: limits by address
 * have other tests, and would end these.
 */
function addressOf(n: number): { readonly localAddress?: string } {
  if (process.platform !== 'linux') return {}
  return { localAddress: `127.${1 + ((n >> 16) % 250)}.${(n >> 8) & 255}.${1 + (n % 254)}` }
}

/** @returns status 0 when the connection was cut, as after a body that is too large, or nothing came for long. */
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
      // A path or a header that Node's client does not send at all.
      cut()
    }
  })
}
