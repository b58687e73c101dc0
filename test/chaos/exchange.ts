import { type Agent, type IncomingHttpHeaders, request as open } from 'node:http'

export type Request = {
  readonly port: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Silence after which the client takes the connection for dead. */
  readonly timeoutMs: number
  /** The client hangs up after so long. */
  readonly leaveAfterMs?: number | undefined
  /** Hangs up when it is aborted. */
  readonly signal?: AbortSignal
  /** Connections are kept and used again; without it each request has its own. */
  readonly agent?: Agent
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void
  /** All that has come so far, as far as it is whole characters; true: the client has enough and hangs up. */
  readonly onText?: (text: string) => boolean
}

/** How an exchange ended: as the protocol has it, cut by something else, or by the client itself. */
export type Ending = 'complete' | 'cut' | 'left' | 'impatient' | 'unreachable'

export type Exchange = {
  readonly ending: Ending
  /** Undefined when no reply began. */
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** One request and what came back, however far it got. Never throws. */
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
