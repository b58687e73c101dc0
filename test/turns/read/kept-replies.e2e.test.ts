import { expect, test } from 'vitest'
import { expireLog } from '../../support/expired-log.ts'
import { callTools, reply } from '../../support/scripted-upstream.ts'
import { signedUp } from '../../support/visitor.ts'
import { ask, bodyOf, call } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

const passage = (ref: string, en: string) => ({
  ...{ work: 'The Gate', ref, en, license: 'CC0' },
  source_url: 'https://example.org/gate',
})
const lamp = 'A small lamp that is carried into a dark room does not argue with the darkness.'
const deeds = 'Whoever counts his own good deeds on the road arrives late.'
const world = useWorld({
  library: [passage('The Gate 1:1', lamp), passage('The Gate 2:1', deeds)],
  web: { signUpPlan: 'pro' },
})

/** An answer with a citation, a quotation of it, another without, an unknown mark and an unknown ref. */
function answerNext(): void {
  world.upstream.enqueue(
    callTools([{ name: 'read_source', arguments: { ref: 'The Gate 1:1' } }], { text: 'I look it up.' }),
    callTools([{ name: 'read_source', arguments: { ref: 'The Gate 2:1' } }]),
    reply(
      'It “does not argue with the darkness” [S1]. “Whoever counts his own good deeds” is late. More [S9]. See The Gate 7:3.',
      { chunks: 20 },
    ),
  )
}

const read = (path: string) => call(world.service, world.key, 'GET', path)
const runOf = (response: Response) => response.headers.get('x-service-run-id') ?? ''

const everything = {
  unknown_marks: 1,
  unknown_refs: [{ ref: 'The Gate 7:3' }],
  quotations: [{ quote: expect.stringContaining('Whoever counts') }],
  sources: [{ n: 1, ref: 'The Gate 1:1', verification: [{ result: 'verbatim' }] }],
}

/** What the chunks of a stream say together. */
function saidIn(stream: string) {
  let [text, reasoning] = ['', '']
  let [annotations, block]: [unknown, unknown] = [undefined, undefined]
  for (const [, json = ''] of stream.matchAll(/^data: (\{.*)$/gm)) {
    const { choices, x_service: service } = JSON.parse(json)
    const { delta = {}, finish_reason: finish } = choices[0] ?? {}
    text += delta.content ?? ''
    // Where the text was when the line came.
    if (delta.reasoning_content) reasoning += `${text.length} ${delta.reasoning_content}`
    annotations ??= delta.annotations
    if (finish) block = service
  }
  return { text, reasoning, annotations, block }
}

test('a chat stream that is repeated after its log expired says the same', async () => {
  answerNext()
  const body = ask('What does the Gate say?', { stream: true, x_service: { reasoning: true } })
  const send = () => world.chat(body, { headers: { 'idempotency-key': 'kept-stream' } })
  const first = await send()
  const before = saidIn(await first.text())
  expect(before).toMatchObject({ annotations: [{ url_citation: {} }], block: everything })
  expect(before.reasoning.match(/The Gate/g)).toHaveLength(2)
  await expireLog(world.db, runOf(first))
  const again = await send()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(saidIn(await again.text())).toEqual(before)
})

test('a whole chat reply that is repeated after its log expired is the same', async () => {
  answerNext()
  const body = ask('What does the Gate say, in one piece?', { x_service: { reasoning: true } })
  const send = () => world.chat(body, { headers: { 'idempotency-key': 'kept-whole' } })
  const first = await send()
  const before = await bodyOf(first)
  expect(before.x_service).toMatchObject(everything)
  await expireLog(world.db, runOf(first))
  expect(await bodyOf(send())).toEqual(before)
})

test('a response reads the same after its log expired, whole and streamed', async () => {
  answerNext()
  const body = {
    model: 'service',
    input: 'What does the Gate say?',
    reasoning: { summary: 'auto' },
    stream: true,
  }
  const created = await call(world.service, world.key, 'POST', '/v1/responses', body)
  const lastOf = (stream: string) =>
    JSON.parse(
      stream
        .match(/^data: (.*)$/gm)
        ?.at(-1)
        ?.slice(6) ?? '',
    ).response
  const before = lastOf(await created.text())
  expect(before.x_service).toMatchObject(everything)
  const path = `/v1/responses/${before.id}`
  expect(await bodyOf(read(path))).toEqual(before)
  await expireLog(world.db, runOf(created))
  expect(await bodyOf(read(path))).toEqual(before)
  expect(lastOf(await (await read(`${path}?stream=true`)).text())).toEqual(before)
})

test('the events of a run end the same after its log expired', async () => {
  answerNext()
  const response = await world.chat(ask('What does the Gate say, as events?'))
  const path = `/v1/agent/runs/${runOf(response)}`
  const lastEvent = async () => (await (await read(`${path}/events`)).text()).trim().split('\n\n').at(-1)
  const [end, run] = [await lastEvent(), await bodyOf(read(path))]
  expect(end).toContain('"unknown_refs":[{"ref":"The Gate 7:3"')
  expect(end).toMatch(/"citations":\[\{"n":1/)
  expect(end).not.toContain('tools_used')
  await expireLog(world.db, runOf(response))
  expect(await lastEvent()).toBe(end)
  expect(await bodyOf(read(path))).toEqual(run)
})

test('the pages of an answer are the same after its log expired', async () => {
  answerNext()
  const visitor = await signedUp(world.service, 'kept@example.org')
  await visitor.post('/ask', {
    form: crypto.randomUUID(),
    question: 'What does the Gate say?',
    model: 'service',
  })
  const run = await world.row<{ id: string; session: string }>(
    'select id, session_id as session from runs order by created_at desc limit 1',
  )
  await world.end(run.id)
  const pageAt = async (path: string) =>
    (await (await visitor.get(path)).text()).replaceAll(/req_\w+|request_\w+|nonce="[^"]*"/g, '')
  const pages = () => Promise.all([pageAt(`/sessions/${run.session}`), pageAt(`/runs/${run.id}`)])
  const before = await pages()
  expect(before[0]).toContain('The Gate 7:3')
  await expireLog(world.db, run.id)
  expect(await pages()).toEqual(before)
})
