import { type Agent, type IncomingHttpHeaders, request as open } from 'node:http'

export type Request = {
  readonly port: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Silence after which the client treats the connection as broken. */
  readonly timeoutMs: number
  /** Milliseconds after which the client disconnects. */
  readonly leaveAfterMs?: number | undefined
  /** Disconnects when aborted. */
  readonly signal?: AbortSignal
  /** Keeps connections open and reuses them; without it each request opens its own. */
  readonly agent?: Agent
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void
  /** Receives all complete characters so far. Returning true disconnects the client. */
  readonly onText?: (text: string) => boolean
}

/**
 * How an exchange ended: `complete`, cut by the other side, by the client itself, or without a connection.
 */
export type Ending = 'complete' | 'cut' | 'left' | 'impatient' | 'unreachable'

export type Exchange = {
  readonly ending: Ending
  /** Undefined when no reply began. */
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends one request and returns what arrived, complete or not. Never throws. */
export function exchange(sent: Request): Promise<Exchange> {
  const decoder = new TextDecoder()
  let text = ''
  let status: number | undefined
  let headers: IncomingHttpHeaders = {}
  return new Promise((resolve) => {
    const { port, method, path, agent = false, signal } = sent
    const request = open({ host: '127.0.0.1', port, method, path, headers: sent.headers, agent })
    const end = (ending: Ending) => {
      clearTimeout(leaving)
      clearTimeout(silence)
      signal?.removeEventListener('abort', leave)
      resolve({ ending, status, headers, text })
      if (ending !== 'complete') request.destroy()
    }
    const leave = () => end('left')
    const leaving = sent.leaveAfterMs === undefined ? undefined : setTimeout(leave, sent.leaveAfterMs)
    const silence = setTimeout(() => end('impatient'), sent.timeoutMs)
    signal?.addEventListener('abort', leave)
    request.on('error', (error: NodeJS.ErrnoException) => {
      end(error.code === 'ECONNREFUSED' ? 'unreachable' : 'cut')
    })
    request.on('response', (response) => {
      status = response.statusCode
      headers = response.headers
      sent.onHeaders?.(headers)
      silence.refresh()
      response.on('data', (bytes: Buffer) => {
        silence.refresh()
        text += decoder.decode(bytes, { stream: true })
        if (sent.onText?.(text)) end('left')
      })
      response.on('error', () => end('cut'))
      response.on('close', () => end(response.complete ? 'complete' : 'cut'))
    })
    if (signal?.aborted) leave()
    else request.end(sent.body)
  })
}
