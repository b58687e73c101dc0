/**
 * `node test/bench/turns/floor-agent.ts`: the least that an agent service can do, by hand. Key and credits are looked
 * up and the run is written in one round trip, a row is written for each tool call, and in one more round trip the
 * run is closed and charged. It survives no crash, keeps no events, checks no quotation and has no limits.
 */
import { createHash, randomUUID } from 'node:crypto'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pg from 'pg'
import { Agent, request as send } from 'undici'
import { toolName } from './script.ts'
import { announce } from './worker.ts'

// biome-ignore lint/style/noProcessEnv: a process of its own
const { MODEL_URL: model = '', DATABASE_URL: connectionString = '' } = process.env
const pool = new pg.Pool({ connectionString, max: 10 })
const dispatcher = new Agent({ connections: null })
const app = Fastify()

const begin = `with owner as (select account from floor.keys where hash = $1 and credits > 0)
  insert into floor.runs (id, account, request) select $2, account, $3 from owner returning account`
const step = 'insert into floor.steps (run, n, record) values ($1, $2, $3)'
const close = `with closed as (update floor.runs set text = $2, cost = $3, ended = now() where id = $1 returning account)
  insert into floor.ledger (run, account, cost) select $1, account, $3 from closed`

type Message = { role: string; content: string | null; tool_calls?: unknown; tool_call_id?: string }
type Delta = { content?: string | null; tool_calls?: { id: string; function: { name: string } }[] }
type Chunk = { choices: { delta: Delta; finish_reason: string | null }[]; usage?: { total_tokens: number } }

/** Reads one reply of the model and passes its text on as chunks of our own. */
async function ask(messages: readonly Message[], frame: (delta: object) => void) {
  const body = JSON.stringify({ model: 'm', messages, stream: true, stream_options: { include_usage: true } })
  const headers = { 'content-type': 'application/json' }
  const reply = await send(`${model}/v1/chat/completions`, { method: 'POST', headers, body, dispatcher })
  let [buffered, text, tokens, call]: [string, string, number, { id: string } | undefined] = [
    '',
    '',
    0,
    undefined,
  ]
  for await (const bytes of reply.body) {
    buffered += bytes.toString()
    const events = buffered.split('\n\n')
    buffered = events.pop() ?? ''
    for (const event of events) {
      if (event === 'data: [DONE]') continue
      const { choices, usage } = JSON.parse(event.slice(6)) as Chunk
      tokens = usage?.total_tokens ?? tokens
      const delta = choices[0]?.delta
      call ??= delta?.tool_calls?.[0]
      if (!delta?.content) continue
      text += delta.content
      frame({ content: delta.content })
    }
  }
  return { text, tokens, call }
}

app.post('/v1/chat/completions', async (request: FastifyRequest, reply: FastifyReply) => {
  const { messages } = request.body as { messages: Message[] }
  const hash = createHash('sha256')
    .update(request.headers.authorization?.slice(7) ?? '')
    .digest()
  const id = randomUUID()
  const started = await pool.query({
    name: 'begin',
    text: begin,
    values: [hash, id, JSON.stringify(messages)],
  })
  if (started.rowCount !== 1) return reply.code(401).send({ error: { message: 'no key or no credits' } })
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
  const frame = (delta: object, finish: string | null = null, rest: object = {}) =>
    void reply.raw.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'service', choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`,
    )
  let [text, cost] = ['', 0]
  for (let n = 1; n < 8; n += 1) {
    const answer = await ask(messages, frame)
    text += answer.text
    cost += answer.tokens
    if (!answer.call) break
    const result = JSON.stringify({ files: [] })
    await pool.query({
      name: 'step',
      text: step,
      values: [id, n, JSON.stringify({ call: answer.call, result })],
    })
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ ...answer.call, type: 'function', function: { name: toolName, arguments: '{}' } }],
    })
    messages.push({ role: 'tool', content: result, tool_call_id: answer.call.id })
  }
  await pool.query({ name: 'close', text: close, values: [id, text, cost] })
  frame({}, 'stop', { usage: { cost } })
  reply.raw.end('data: [DONE]\n\n')
})

await app.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 })
announce(app.server)
