import { expect } from 'vitest'
import { readStream } from '../support/sse-rules.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { answerText, clientTool, hebrewText, jsonText, shortText, thoughtText } from './plan.ts'
import {
  answerTo,
  ask,
  asking,
  expectReturned,
  expectRun,
  nextQuestion,
  type Row,
  refusals,
  replied,
  runEnd,
  whole,
} from './turns.ts'

const streamed = { stream: true }
const inBytes = (plan: string) => `${plan} CUT`
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function session(row: Row): Promise<void> {
  const first = await whole(row, 'tool,answer', answerText)
  const inSession = { x_service: { session_id: first.sessionId } }
  const second = await whole(row, 'answer', answerText, { ...inSession, ...streamed })
  const third = await whole(row, 'tool,answer', answerText, inSession)
  const [request] = replied(row.server.exchanges(third.id))
  const sent = JSON.stringify(request?.body)
  for (const { id } of [first, second, third]) expect(sent.split(`${id} PLAN=`)).toHaveLength(2)
  expect(sent.split(answerText)).toHaveLength(3)
  // What was attached to the answers of earlier turns stands with them.
  for (const { id } of [first, second]) {
    const issued = replied(row.server.exchanges(id)).at(-1)?.issued ?? {}
    expect(request?.returned).toContainEqual(expect.objectContaining(issued))
  }
}

async function image(row: Row): Promise<void> {
  const id = nextQuestion()
  const content = [
    { type: 'text', text: `What is this? ${id} PLAN=answer` },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${onePixel}` } },
  ]
  const body = { model: row.model, messages: [{ role: 'user', content }] }
  const response = await row.world.chat(body, { at: row.at })
  if (row.server.provider.entry?.['images'] !== true) {
    expect([200, 400]).toContain(response.status)
    for (const { body: sent } of row.server.exchanges(id))
      expect(JSON.stringify(sent)).not.toContain(onePixel)
    return
  }
  const answer = await answerTo(row, id, response, false)
  expect(answer).toMatchObject({ text: answerText, finish: 'stop' })
  expect(JSON.stringify(replied(row.server.exchanges(id))[0]?.body)).toContain(onePixel)
  await expectRun(row, answer, [0])
}

async function json(row: Row): Promise<void> {
  const schema = {
    type: 'object',
    properties: { tractate: { type: 'string' }, folios: { type: 'integer' } },
    required: ['tractate', 'folios'],
    additionalProperties: false,
  }
  const response_format = { type: 'json_schema', json_schema: { name: 'tractate', strict: true, schema } }
  const answer = await ask(row, 'json', { response_format })
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(jsonText))
  expect(answer.finish).toBe('stop')
  await expectRun(row, answer, [0])
}

async function cancel(row: Row): Promise<void> {
  const id = nextQuestion()
  const response = await row.world.chat(asking(row.model, id, 'hold', streamed), { at: row.at })
  const stream = new LiveStream(response)
  await stream.until('Half').catch((fault: unknown) => {
    throw new Error(`${fault}: ${stream.body}\n${refusals(row, id)}`)
  })
  const runId = String(response.headers.get('x-service-run-id'))
  const headers = { authorization: `Bearer ${row.world.key}` }
  const cancelled = await fetch(`${row.at.url}/v1/agent/runs/${runId}/cancel`, { method: 'POST', headers })
  expect(cancelled.status).toBe(200)
  await stream.rest()
  // The server is told at once, so that it stops computing.
  expect(await replied(row.server.exchanges(id)).at(-1)?.ended).toBe('cut')
  // A stream ends when the end of its run is stored.
  expect(await row.world.row(runEnd, runId)).toEqual({
    status: 'cancelled',
    charges: 1,
    isCost: true,
    estimated: true,
  })
}

async function overload(row: Row): Promise<void> {
  const answer = await whole(row, 'busy+answer', answerText)
  const { busy } = row.server.provider
  const [refused, next] = row.server.exchanges(answer.id).slice(-2)
  expect(refused?.refusal).toEqual(busy)
  const hinted = JSON.stringify(busy).match(/retry-after|retryDelay/) ? 950 : 0
  expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(hinted)
}

/** The turn runs without what the model refuses, says so, and the next turn does not ask for it again. */
async function parameter(row: Row): Promise<void> {
  const { refuses } = row.server.provider
  if (!refuses) {
    const answer = await whole(row, 'answer', answerText, { temperature: 0.25, top_p: 0.75 })
    const sent = JSON.stringify(row.server.exchanges(answer.id).at(-1)?.body)
    expect(sent).toMatch(/"temperature":0.25/)
    return
  }
  const plan = refuses.plan ?? 'answer'
  const first = await ask(row, plan, refuses.sent)
  const runOf = (runId: string) =>
    row.world.row<{ leftOut: readonly string[] }>(
      `select coalesce(reply #> '{end,usage,left_out}', '[]') as "leftOut" from runs where id = $1`,
      runId,
    )
  const { leftOut } = await runOf(first.runId)
  expect(Object.keys(refuses.sent).filter((name) => leftOut.includes(name))).not.toEqual([])
  await expectRun(
    row,
    first,
    plan.split(',').map((_, at) => at),
  )
  const second = await ask(row, plan, refuses.sent)
  expect(row.server.exchanges(second.id).map(({ refusal }) => refusal)).toEqual(
    plan.split(',').map(() => undefined),
  )
  expect((await runOf(second.runId)).leftOut).toEqual(leftOut)
}

async function length(row: Row): Promise<void> {
  const answer = await ask(row, 'length', { max_tokens: 64 })
  expect(answer).toMatchObject({ text: shortText, finish: 'length' })
  const sent = JSON.stringify(replied(row.server.exchanges(answer.id))[0]?.body)
  const limit = Number(sent.match(/"max\w*tokens":(\d+)/i)?.[1])
  // Where reasoning has a budget of its own, that is added.
  const budget = Number(sent.match(/"budget_tokens":(\d+)/)?.[1] ?? 0)
  expect(limit - budget).toBe(64)
  await expectRun(row, answer, [0])
}

async function reasoning(row: Row): Promise<void> {
  for (const plan of ['tool,answer', inBytes('tool,answer')]) {
    const answer = await ask(row, plan, streamed)
    expect(answer).toMatchObject({ text: answerText, finish: 'stop' })
    for (const { choices } of readStream(answer.raw, { includeUsage: true }).chunks)
      expect(choices[0]?.delta.content ?? '').not.toContain(thoughtText.slice(0, 8))
    expectReturned(row, answer.id)
    await expectRun(row, answer, [0, 1])
  }
}

const hebrewDate = {
  type: 'function',
  function: {
    name: clientTool,
    description: 'The Hebrew date.',
    parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  },
}

async function followUp(row: Row): Promise<void> {
  const tools = [hebrewDate]
  const called = await ask(row, 'client,answer', { tools })
  expect(called.finish).toBe('tool_calls')
  const [call] = called.calls
  expect(call?.function.name).toBe(clientTool)
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ day: 'today' })
  await expectRun(row, called, [0])
  const body = {
    model: row.model,
    tools,
    messages: [{ role: 'tool', tool_call_id: call?.id, content: '18 Kislev' }],
    x_service: { session_id: called.sessionId },
  }
  const answer = await answerTo(row, called.id, await row.world.chat(body, { at: row.at }), false)
  expect(answer).toMatchObject({ text: answerText, finish: 'stop' })
  expect(JSON.stringify(replied(row.server.exchanges(called.id)).at(-1)?.body)).toContain('18 Kislev')
  expectReturned(row, called.id)
  await expectRun(row, answer, [1])
}

async function takeover(row: Row): Promise<void> {
  const { id, body, key } = await row.takeover()
  const response = await row.world.chat(body, { at: row.at, headers: { 'idempotency-key': key } })
  const answer = await answerTo(row, id, response, true)
  expect(answer).toMatchObject({ text: answerText, finish: 'stop' })
  expectReturned(row, id)
  // The step that was cut off is asked for again; the one before it is not.
  expect(replied(row.server.exchanges(id)).map(({ step }) => step)).toEqual([0, 1, 1])
  expect(await row.world.row(runEnd, answer.runId)).toMatchObject({
    status: 'completed',
    charges: 1,
    isCost: true,
  })
}

async function unansweredCall(row: Row): Promise<void> {
  const called = await ask(row, 'client,answer', { tools: [hebrewDate] })
  await whole(row, 'tool,answer', answerText, { x_service: { session_id: called.sessionId } })
}

/** The service reads an attached file itself, by a call that the model did not make. */
async function attachedFile(row: Row): Promise<void> {
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new Blob(['Nullification of the self.']), `note-${nextQuestion()}.txt`)
  const headers = { authorization: `Bearer ${row.world.key}` }
  const uploaded = await fetch(`${row.at.url}/v1/files`, { method: 'POST', headers, body: form })
  const { id: file_id } = (await uploaded.json()) as { id: string }
  const id = nextQuestion()
  const content = [
    { type: 'text', text: `What does it say? ${id} PLAN=answer,tool,answer` },
    { type: 'file', file: { file_id } },
  ]
  const body = { model: row.model, messages: [{ role: 'user', content }] }
  const answer = await answerTo(row, id, await row.world.chat(body, { at: row.at }), false)
  expect(answer).toMatchObject({ text: answerText, finish: 'stop' })
  const [first] = replied(row.server.exchanges(id))
  expect(JSON.stringify(first?.body)).toContain('Nullification of the self.')
}

async function instructions(row: Row): Promise<void> {
  const id = nextQuestion()
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Who are you?' },
    { role: 'assistant', content: 'A reader.' },
    { role: 'developer', content: 'Be polite.' },
    { role: 'user', content: `And bittul? ${id} PLAN=tool,answer` },
  ]
  const response = await row.world.chat({ model: row.model, messages }, { at: row.at })
  const answer = await answerTo(row, id, response, false)
  expect(answer).toMatchObject({ text: answerText, finish: 'stop' })
  for (const { body } of replied(row.server.exchanges(id)))
    for (const words of ['Be brief.', 'Be polite.']) expect(JSON.stringify(body).split(words)).toHaveLength(2)
  await expectRun(row, answer, [0, 1])
}

async function brokenOff(row: Row): Promise<void> {
  const id = nextQuestion()
  const response = await row.world.chat(asking(row.model, id, 'broken', { stream: true }), { at: row.at })
  const seen = readStream(await response.text())
  expect(seen.problems).toEqual([])
  expect(seen.text).toMatch(/^(?:Half)?$/)
  expect(seen.error?.message).toBeTruthy()
  expect(replied(row.server.exchanges(id))).toHaveLength(1)
  const run = await row.world.row<{ status: string; charges: number }>(
    runEnd,
    String(response.headers.get('x-service-run-id')),
  )
  expect(run.status).toBe('failed')
  expect(run.charges).toBeLessThanOrEqual(1)
}

/** What a turn guarantees, whichever server is behind the model. */
export const scenarios: Readonly<Record<string, (row: Row) => Promise<unknown>>> = {
  'one call answers': (row) => whole(row, 'answer', answerText),
  'a tool is called and its result answered': (row) =>
    whole(row, inBytes('tool,answer'), answerText, streamed),
  'two tools are called at once': async (row) => {
    await whole(row, 'pair,answer', answerText)
    await whole(row, inBytes('pair,answer'), answerText, streamed)
  },
  'five steps keep what each of them was given': (row) =>
    whole(row, 'tool,files,pair,files,answer', answerText, streamed),
  'a turn is taken over in its second step': takeover,
  'a session of three turns keeps what its answers were given': session,
  'an image reaches a model that reads images': image,
  'an answer fits its JSON schema': json,
  'a cancelled turn stops the model': cancel,
  'a busy server is asked again after the time that it names': overload,
  'a refused parameter is left out, told and remembered': parameter,
  'an answer that reached its limit says so': length,
  'reasoning goes back to the server and is not part of the answer': reasoning,
  'Hebrew with points arrives letter by letter': async (row) => {
    await whole(row, 'hebrew', hebrewText)
    await whole(row, inBytes('hebrew'), hebrewText, streamed)
  },
  'a client’s own tool is called, and its result continues the turn': followUp,
  'a call that the client never answered does not block its session': unansweredCall,
  'an attached file is read before the model is asked': attachedFile,
  'instructions at several places reach the model once': instructions,
  'a stream that breaks off fails the turn once': brokenOff,
}
