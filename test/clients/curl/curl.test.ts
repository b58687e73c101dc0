import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Adapter, type Seen, seenIn, weatherTool } from '../support/adapter.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { situations } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

/** The failure of curl; the status is part of its message, because of `--fail-with-body`. */
class CurlError extends Error {
  readonly status: number
  readonly body: string
  constructor(exit: number, status: number, body: string) {
    super(`exit ${exit}`)
    this.status = status
    this.body = body
  }
}

/**
 * Posts a body with curl.
 * @returns its standard output.
 */
async function post(
  place: Place,
  body: object,
  { signal, onOutput }: { signal?: AbortSignal | undefined; onOutput?: (text: string) => void } = {},
): Promise<string> {
  const headers = {
    ...place.headers,
    authorization: `Bearer ${place.key}`,
    'content-type': 'application/json',
  }
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const curl = spawn(
    'curl',
    [
      '-sSN',
      '--fail-with-body',
      '-w',
      '%{stderr}%{http_code}',
      ...named,
      '--data-binary',
      '@-',
      `${place.baseUrl}/chat/completions`,
    ],
    { signal },
  )
  curl.stdout.setEncoding('utf8')
  const ended = once(curl, 'close')
  let [output, written] = ['', '']
  curl.stdout.on('data', (text) => {
    output += text
    onOutput?.(output)
  })
  curl.stderr.on('data', (text) => {
    written += text
  })
  // curl stops reading when the service refuses the body before its end.
  curl.stdin.on('error', () => undefined)
  curl.stdin.end(JSON.stringify(body))
  const [exit] = await ended
  if (exit !== 0) throw new CurlError(exit, Number(written.slice(-3)), output)
  return output
}

const ask = ({ model }: Place, question: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: question }],
  ...more,
})

const chunksIn = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line.slice('data: '.length))]
      } catch {
        return []
      }
    })

function read(output: string): Seen {
  const chunks = chunksIn(output)
  const { error } = chunks.at(-1) ?? {}
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  const deltas = chunks.map(({ choices }) => choices[0]?.delta ?? {})
  const text = deltas.map(({ content }) => content ?? '').join('')
  const annotations = deltas.findLast((delta) => delta.annotations)?.annotations
  return seenIn(text, chunks.findLast(({ x_service }) => x_service?.usage)?.x_service, { annotations })
}

const everything = ['session', 'sources', 'files', 'links', 'cost'] as const

const curl: Adapter = {
  name: 'curl',
  troubles: Object.fromEntries(
    Object.keys(situations).map((name) => [name, { kind: 'exit 22', attempts: 1 }]),
  ) as Adapter['troubles'],
  brokenWhole: undefined,
  brokenStream: 'upstream_failed',
  stopped: 'AbortError',
  shows: { whole: everything, streamed: everything },
  failureOf: (error) =>
    error instanceof CurlError
      ? { kind: error.message, status: error.status, code: JSON.parse(error.body).error.code }
      : { kind: error.name === 'AbortError' ? error.name : error.code },
  async whole(place, question, signal) {
    const completion = JSON.parse(await post(place, ask(place, question), { signal }))
    const { content, annotations } = completion.choices[0].message
    return seenIn(content, completion.x_service, { annotations, usage: completion.usage })
  },
  async stream(place, question, onText, signal) {
    let shown = ''
    const onOutput = (output: string) => {
      const text = chunksIn(output)
        .map(({ choices }) => choices?.[0]?.delta.content ?? '')
        .join('')
      if (text.length > shown.length) onText(text.slice(shown.length))
      shown = text
    }
    return read(await post(place, ask(place, question, { stream: true }), { signal, onOutput }))
  },
  async callTool(place, question, weather) {
    const tools = [{ type: 'function', function: weatherTool }]
    const asked = ask(place, question, { tools })
    const { message } = JSON.parse(await post(place, asked)).choices[0]
    const results = message.tool_calls.map(({ id, function: { arguments: args } }) => ({
      role: 'tool',
      tool_call_id: id,
      content: weather(JSON.parse(args).city),
    }))
    const messages = [...asked.messages, message, ...results]
    return JSON.parse(await post(place, { ...asked, messages })).choices[0].message.content
  },
}

const world = useClientWorld()
describeClients(world, curl)
testExample(world, import.meta.dirname, 'curl.sh', /"ref":"The Gate 1:1"/)
