/**
 * `npx node test/bench/provider-overhead.ts [streams]`: the CPU time of one chunk of a reply in the OpenAI client, and in
 * packages of the AI SDK beside it. The model is a thread, so that its own time does not count. It sends 2,000 chunks per
 * reply, one each millisecond, so that most arrive alone. The first two rows read the same bytes.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type AiSdkProviderOptions, createAiSdkProvider } from '../../src/agent/ai-sdk/provider.ts'
import { createOpenAiProvider } from '../../src/agent/openai/provider.ts'
import type { Provider } from '../../src/agent/provider.ts'
import { listenAt } from '../support/loopback.ts'
import { median } from './report.ts'

const chunks = 2_000

type Json = Readonly<Record<string, unknown>>

const event = (payload: Json): string =>
  `${payload['type'] ? `event: ${payload['type']}\n` : ''}data: ${JSON.stringify(payload)}\n\n`

/** The frames of a reply: what begins it, one per chunk, and what ends it. */
const replies: Readonly<Record<string, readonly [string, string, string]>> = {
  '/v1/chat/completions': chatFrames(),
  '/v1/messages': messageFrames(),
}

function chatFrames(): [string, string, string] {
  const frame = (delta: Json, reason: string | null = null, more: Json = {}) =>
    event({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    })
  const usage = { prompt_tokens: 20, completion_tokens: chunks, total_tokens: chunks + 20 }
  return [
    frame({ role: 'assistant', content: '' }),
    frame({ content: 'word ' }),
    `${frame({}, 'stop', { usage })}data: [DONE]\n\n`,
  ]
}

function messageFrames(): [string, string, string] {
  const message = {
    ...{
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
    },
    usage: { input_tokens: 20, output_tokens: 1 },
  }
  return [
    event({ type: 'message_start', message }) +
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } }),
    event({ type: 'content_block_stop', index: 0 }) +
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: chunks } }) +
      event({ type: 'message_stop' }),
  ]
}

/** The model. */
async function serve(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume()
    const [head, chunk, tail] = replies[request.url ?? ''] ?? ['', '', '']
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.socket?.setNoDelay()
    response.write(head)
    let left = chunks
    const next = () => {
      if (left === 0) {
        response.end(tail)
        return
      }
      left -= 1
      response.write(chunk)
      setTimeout(next, 1)
    }
    next()
  })
  parentPort?.postMessage(await listenAt(server))
}

/** Microseconds of this thread's processor for one chunk of this many replies at once. */
async function measure(provider: Provider, streams: number): Promise<number> {
  const before = process.threadCpuUsage()
  await Promise.all(Array.from({ length: streams }, () => hear(provider)))
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / (streams * chunks)
}

async function hear(provider: Provider): Promise<void> {
  const messages = [{ role: 'user' as const, content: 'Speak.' }]
  const request = { messages, tools: [], toolChoice: 'auto' as const, sampling: {} }
  let heard = 0
  const end = await provider.ask(request, new AbortController().signal, (text) => {
    heard += text.length / 'word '.length
    return true
  })
  if (end.type !== 'finish' || heard !== chunks) throw new Error(`${heard} chunks: ${JSON.stringify(end)}`)
}

async function main(): Promise<void> {
  const streams = Number(process.argv[2] ?? 10)
  const worker = new Worker(new URL(import.meta.url))
  const [url] = await once(worker, 'message')
  const baseUrl = `${url}/v1`
  const ofSdk = (api: AiSdkProviderOptions['api']) =>
    createAiSdkProvider({ api, baseUrl, apiKey: 'k', model: 'm', contextTokens: 128_000 })
  const rows = [
    { name: 'OpenAI client', provider: createOpenAiProvider({ baseUrl, model: 'm' }), times: [] as number[] },
    { name: 'AI SDK, groq', provider: await ofSdk('groq'), times: [] as number[] },
    { name: 'AI SDK, anthropic', provider: await ofSdk('anthropic'), times: [] as number[] },
  ]
  for (const { provider } of rows) await measure(provider, streams)
  for (let round = 0; round < 5; round += 1)
    for (const { provider, times } of rows) times.push(await measure(provider, streams))
  const own = median(rows[0]?.times ?? [])
  for (const { name, times } of rows) {
    const spent = median(times)
    process.stdout.write(
      `${name.padEnd(20)} ${spent.toFixed(1)} us per chunk, ${(spent / own).toFixed(1)} x\n`,
    )
  }
  await Promise.all(rows.map(({ provider }) => provider.close()))
  await worker.terminate()
}

if (isMainThread) await main()
else await serve()
