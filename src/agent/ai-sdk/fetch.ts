import type { Dispatcher } from 'undici'
import { CallFailure } from '../openai/failure.ts'

/** Maximum bytes of one reply. Thinking and signatures make replies longer than their text. */
const maxReplyBytes = 64 * 1024 * 1024
/** Statuses whose responses have no body. `Response` refuses one. */
const bodiless = new Set([204, 205, 304])

/**
 * `fetch` for the packages of the AI SDK, over our own connections: no proxy of the environment, no redirects, and no time
 * limits besides those of the call. The abort signal closes the connection.
 */
export function fetchOver(dispatcher: Dispatcher): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init.headers)
    headers.set('accept-encoding', 'identity')
    const response = await dispatcher.request({
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      origin,
      path: pathname + search,
      headers: Object.fromEntries(headers),
      body: (init.body ?? null) as string | Uint8Array | null,
      signal: init.signal ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const { statusCode: status, body } = response
    // A destroyed body emits an error even if nothing iterates it.
    body.on('error', () => {})
    const received = headersOf(response)
    if ((received.get('content-encoding') ?? 'identity') !== 'identity') {
      body.destroy()
      throw new CallFailure('upstream', "The model's server sent a compressed reply although asked not to.")
    }
    if (!bodiless.has(status)) return new Response(webStream(body), { status, headers: received })
    body.resume()
    return new Response(null, { status, headers: received })
  }
}

function headersOf({ headers }: Dispatcher.ResponseData): Headers {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new Headers(list)
}

function webStream(body: Dispatcher.ResponseData['body']): ReadableStream<Uint8Array> {
  const chunks = body.iterator() as AsyncIterator<Uint8Array>
  let bytes = 0
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) {
          controller.close()
          return
        }
        bytes += value.length
        if (bytes > maxReplyBytes) {
          body.destroy()
          throw new CallFailure('upstream', "The model's reply is longer than this service takes.")
        }
        controller.enqueue(value)
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  )
}
