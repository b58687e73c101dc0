import type { Json } from '../../support/openapi-reader.ts'
import { callTools, reply, type Script, type ScriptSource } from '../../support/upstream-scripts.ts'
import { bodySizes, type Case, type Step, type WireReply } from './case.ts'
import type { Kind } from './kinds.ts'
import { placesOf } from './places.ts'
import { textKinds } from './text-kinds.ts'
import { valueKinds } from './value-kinds.ts'
import type { World } from './world.ts'

const question = 'What does the library say of the beinoni?'
/** Sizes above the maximum text of a turn are included. */
const replySizes = [...bodySizes.slice(0, 6), 1_000_000, 4_000_000]

/** Cases for replies of a model's server: texts, tool calls, and bytes that are not a valid reply. */
export function turnCases({ tools }: Pick<World, 'tools'>): readonly Case[] {
  return [
    ...textKinds.flatMap((kind) => [
      answer('text in one piece', kind.name, (bytes) => [{ text: kind.text({ bytes }) }]),
      answer('text in many pieces', kind.name, (bytes) => [
        { text: kind.text({ bytes }), chunks: Math.min(bytes, 4_000) },
      ]),
    ]),
    ...textKinds
      .slice(0, 70)
      .map((kind) =>
        answer('text after a search', kind.name, (bytes) => afterSearch([{ text: kind.text({ bytes }) }])),
      ),
    ...Object.entries(rawReplies).map(([kind, raw]) =>
      answer('bytes', kind, (bytes) => [{ raw: raw(bytes) }]),
    ),
    ...tools.flatMap(({ name, parameters }) => toolCases(name, parameters as Json)),
    ...builtInCases(),
  ]
}

/** Streams that violate the protocol. */
const rawReplies: Readonly<Record<string, (bytes: number) => string>> = {
  comments: (bytes) => ': c\n'.repeat(bytes / 4),
  'empty lines': (bytes) => '\n'.repeat(bytes),
  'one line without end': (bytes) => `data: ${'x'.repeat(bytes)}`,
  'data lines of one event': (bytes) => 'data: 1\n'.repeat(bytes / 8),
  'empty events': (bytes) => 'data: {}\n\n'.repeat(bytes / 10),
  'events with empty choices': (bytes) => 'data: {"choices":[]}\n\n'.repeat(bytes / 24),
  'many choices': (bytes) => `data: {"choices":[${'{},'.repeat(bytes / 3)}{}]}\n\n`,
  'many tool calls': (bytes) =>
    `data: {"choices":[{"index":0,"delta":{"tool_calls":[${Array.from({ length: bytes / 60 + 1 }, (_, n) => `{"index":${n},"id":"c${n}","function":{"name":"f","arguments":"{}"}}`).join(',')}]}}]}\n\n`,
  'pieces of arguments': (bytes) =>
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"a"}}]}}]}\n\n'.repeat(
      bytes / 130 + 1,
    ),
  nesting: (bytes) => `data: ${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}\n\n`,
  'JSON that is no stream': (bytes) =>
    `{"choices":[{"message":{"content":${JSON.stringify('x'.repeat(bytes))}}}]}`,
}

function toolCases(name: string, parameters: Json): readonly Case[] {
  const subject = `tool ${name}`
  return placesOf(parameters, () => ({})).flatMap((place) =>
    place.kinds.map(
      (kind): Case => ({
        subject,
        part: `arguments ${place.path}`,
        kind: kind.name,
        sizes: replySizes,
        step: (bytes) => {
          const text = place.body(kind.json({ bytes }))
          return turn(subject, calls(name, text), text.length)
        },
      }),
    ),
  )
}

/** Calls a tool once, and then answers. */
const calls =
  (name: string, text: string): ScriptSource =>
  ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? reply('Done.') : callTools([{ name, arguments: text }])

/** Searches first, because quotations need sources. */
const afterSearch =
  (script: Script): ScriptSource =>
  ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? script
      : callTools([{ name: 'search_sources', arguments: { query: 'beinoni' } }])

function answer(part: string, kind: string, script: (bytes: number) => ScriptSource): Case {
  return {
    subject: 'reply of the model',
    part,
    kind,
    sizes: replySizes,
    step: (bytes) => turn('reply of the model', script(bytes), bytes),
    next: readings,
  }
}

function turn(subject: string, model: ScriptSource, moreBytes: number): Step {
  const body = JSON.stringify({ model: 'service', messages: [{ role: 'user', content: question }] })
  const headers = { 'content-type': 'application/json' }
  return {
    subject,
    as: 'key',
    model,
    moreBytes,
    request: { method: 'POST', path: '/v1/chat/completions', headers, body },
  }
}

/** Pages and lists that show a turn after its end. */
function readings({ text }: WireReply): readonly Step[] {
  const [, session] = /"session_id":\s*"(\w+)"/.exec(text) ?? []
  const [, run] = /"run_id":\s*"(\w+)"/.exec(text) ?? []
  if (session === undefined || run === undefined) return []
  const get = (subject: string, path: string, as: Step['as']): Step => ({
    subject,
    as,
    request: { method: 'GET', path },
  })
  return [
    get('page GET /sessions/:id', `/sessions/${session}`, 'visitor'),
    get('page GET /runs/:id', `/runs/${run}`, 'visitor'),
    get('page GET /runs/:id/turn', `/runs/${run}/turn`, 'visitor'),
    get('page GET /runs/:id/events', `/runs/${run}/events`, 'visitor'),
    get('GET /v1/agent/runs/{id}/events', `/v1/agent/runs/${run}/events`, 'key'),
    get('GET /v1/agent/sessions/{id}/messages', `/v1/agent/sessions/${session}/messages`, 'key'),
    get('GET /v1/responses/{id}', `/v1/responses/${run.replace('run_', 'resp_')}`, 'key'),
  ]
}

/** The built-in model runs in the service's own process. */
function builtInCases(): readonly Case[] {
  const kinds: readonly Kind[] = [...textKinds, ...valueKinds.slice(0, 2)]
  return kinds.map((kind) => ({
    subject: 'built-in model',
    part: 'question',
    kind: kind.name,
    sizes: bodySizes,
    step: (bytes) => ({
      subject: 'built-in model',
      as: 'key',
      request: {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json' },
        body: `{"model":"built-in","messages":[{"role":"user","content":${kind.json({ bytes })}}]}`,
      },
    }),
    next: readings,
  }))
}
