import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type AiSdkProviderOptions, createAiSdkProvider } from '../../../src/agent/ai-sdk/provider.ts'
import type { ClosableProvider } from '../../../src/agent/openai/retried-call.ts'

type Json = Readonly<Record<string, unknown>>

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Json }

/** What the server answers. `stalls`: it sends nothing after the body, and the reply stays open. */
export type Answer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly stalls?: boolean
}

export type NativeServer = {
  readonly origin: string
  readonly requests: readonly Received[]
  /** Resolves when a connection was closed before its reply ended. */
  readonly cut: Promise<void>
}

export const apiKey = 'k3y.0123456789abcdefghij'

/** A server that gives these answers to its requests, in order; the last one to all further requests. */
export async function startNativeServer(...answers: readonly Answer[]): Promise<NativeServer> {
  const requests: Received[] = []
  const { promise: cut, resolve } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    requests.push({ path: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : {} })
    const answer = answers[Math.min(requests.length, answers.length) - 1]
    response.once('close', () => response.writableFinished || resolve())
    const isOk = (answer?.status ?? 200) === 200
    response.writeHead(answer?.status ?? 200, {
      'content-type': isOk ? 'text/event-stream' : 'application/json',
      ...answer?.headers,
    })
    response.write(answer?.body ?? '')
    if (!answer?.stalls) response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, cut }
}

/** A provider for a server of a test. Waits before retries are short. */
export async function openProvider(
  options: Pick<AiSdkProviderOptions, 'api' | 'baseUrl' | 'model'> & Partial<AiSdkProviderOptions>,
): Promise<ClosableProvider> {
  const provider = await createAiSdkProvider({
    apiKey,
    contextTokens: 128_000,
    retries: { baseMs: 1 },
    ...options,
  })
  onTestFinished(() => provider.close())
  return provider
}

/** Events of a stream whose names stand in their `type`. */
export function events(...payloads: readonly Json[]): string {
  return payloads
    .map(
      (payload) =>
        `${payload['type'] ? `event: ${payload['type']}\n` : ''}data: ${JSON.stringify(payload)}\n\n`,
    )
    .join('')
}

export const errorBody = (error: Json): string => JSON.stringify({ error })
