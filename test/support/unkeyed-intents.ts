import { Agent, request as open } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import OpenAI from 'openai'
import type { Cut } from './cutting-proxy.ts'
import type { Random } from './random.ts'
import { ask } from './world/requests.ts'

/**
 * The way in which a client without an `Idempotency-Key` sends one request. It throws when it gets no
 * complete answer.
 */
export type UnkeyedClient = {
  readonly name: string
  send(url: string, question: string): Promise<void>
}

/**
 * Clients with default settings: OpenAI's, for whole and streamed replies, and two without a library, which
 * reuse connections or close them after each reply. They stay open until `close`.
 */
export function unkeyedClients(key: string): {
  readonly clients: readonly [UnkeyedClient, ...UnkeyedClient[]]
  close(): void
} {
  const kept = new Agent({ keepAlive: true })
  const closed = new Agent({ keepAlive: false })
  const sdk = (url: string) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, timeout: timeoutMs })
  return {
    clients: [
      {
        name: 'openai, whole',
        async send(url, question) {
          await sdk(url).chat.completions.create(ask(question) as never)
        },
      },
      {
        name: 'openai, streamed',
        async send(url, question) {
          const body = ask(question, { stream: true, stream_options: { include_usage: true } })
          const stream = (await sdk(url).chat.completions.create(body as never)) as unknown as AsyncIterable<{
            choices: readonly { finish_reason: string | null }[]
          }>
          let finished = false
          for await (const { choices } of stream) finished ||= choices.some((c) => c.finish_reason !== null)
          if (!finished) throw new Error('the stream has no end')
        },
      },
      { name: 'raw, kept connections', send: (url, question) => post(url, key, question, kept) },
      { name: 'raw, closed connections', send: (url, question) => post(url, key, question, closed) },
    ],
    close() {
      kept.destroy()
      closed.destroy()
    },
  }
}

/** Longer than a suspension: a suspended process reads late that a client gave up. */
const timeoutMs = 60_000

function post(url: string, key: string, question: string, agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const request = open(`${url}/v1/chat/completions`, { method: 'POST', headers, agent }, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('close', () => {
        if (response.complete && response.statusCode === 200) resolve()
        else reject(new Error(`cut, or ${response.statusCode}`))
      })
    })
    request.setTimeout(timeoutMs, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.end(JSON.stringify(ask(question)))
  })
}

/** Cuts half of all connections: before the reply, or after any number of its bytes. */
export function anyCut(random: Random): () => Cut {
  return () => {
    if (random.chance(0.5)) return { kind: 'pass' }
    if (random.chance(0.2)) return { kind: 'before-reply' }
    return { kind: 'after-bytes', bytes: random.whole(1, 2_500) }
  }
}

/**
 * Carries out one action that an application wants done once: it sends the request, and repeats it after each
 * error to any replica, at once or some moments later.
 * @param leastMs that the application waits before it repeats the request.
 * @returns the number of requests sent.
 */
export async function carryOutIntent(
  client: UnkeyedClient,
  urls: readonly [string, ...string[]],
  question: string,
  random: Random,
  leastMs = 0,
): Promise<number> {
  for (let sent = 1; ; sent += 1) {
    try {
      await client.send(random.pick(urls), question)
      return sent
    } catch (error) {
      if (sent === maxSent) throw error
      await delay(leastMs + (random.chance(0.5) ? random.between(0, 400) : 0))
    }
  }
}

const maxSent = 60
