import { beforeAll, expect, test } from 'vitest'
import { callTools, gate, reply } from '../support/scripted-upstream.ts'
import { call, question } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, upstream, service, key } = {} as World

const world = useWorld()
beforeAll(async () => {
  ;({ db, upstream, service, key } = world)
})

const tool = () => callTools([{ name: 'list_files', arguments: {} }])
const answer = () => reply('An answer in some words that come in pieces.', { chunks: 8 })

let asked = 0
const body = (stream: boolean) => {
  asked += 1
  return { ...question(`Question ${asked}`), stream }
}

type RunRow = { status: string; cost: string; charged: string | null; steps: string; text: boolean }

/** The run once it has ended, with what the ledger and its steps say. */
async function ended(runId: string): Promise<RunRow> {
  const read = async () => {
    const { rows } = await db.database.system.execute<RunRow>(`
      select r.status, r.cost_micros::text as cost,
        (select (-allowance_micros - granted_micros)::text from ledger where run_id = r.id and kind = 'charge') as charged,
        (select coalesce(sum(cost_micros), 0)::text from run_log where run_id = r.id) as steps,
        r.reply #>> '{end,text}' <> '' as text
      from runs r where r.id = '${runId}'`)
    return rows[0]
  }
  await expect.poll(async () => (await read())?.status).toMatch(/completed|failed|cancelled/)
  const row = await read()
  if (!row) throw new Error('no run')
  return row
}

/** Reads so many frames of a stream and then hangs up; the run's id comes with the headers. */
async function hangUpAfter(frames: number): Promise<{ runId: string; read: number; whole: boolean }> {
  const response = await call(service, key, 'POST', '/v1/chat/completions', body(true))
  let text = ''
  let read = 0
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString('utf8')
    read = text.split('\n\n').length - 1
    if (read >= frames) break
  }
  return { runId: response.headers.get('x-service-run-id') ?? '', read, whole: text.includes('[DONE]') }
}

test('a turn whose client disconnects after any frame goes on and is charged once', async () => {
  upstream.setDefault((sent) => (sent.messages.some((m) => m.role === 'tool') ? answer() : tool()))
  let whole = false
  for (let frames = 1; !whole && frames < 40; frames += 1) {
    const hungUp = await hangUpAfter(frames)
    whole = hungUp.whole
    const run = await ended(hungUp.runId)
    expect(run).toMatchObject({ status: 'completed', cost: run.steps, charged: run.steps })
  }
  expect(whole, 'the last one was read to its end').toBe(true)
})

test.each([0, 1, 2])(
  'a turn cancelled in model call %i before text pays its steps and that prompt',
  async (finished) => {
    const held = gate()
    for (let i = 0; i < finished; i += 1)
      upstream.enqueue(callTools([{ name: 'read_file', arguments: { name: `f${i}` } }]))
    upstream.enqueue([{ waitFor: held.opened }, { text: 'too late' }])
    const before = upstream.requests.length
    const running = call(service, key, 'POST', '/v1/chat/completions', body(true))
    await upstream.request(before + finished)
    const runId = (await running).headers.get('x-service-run-id') ?? ''
    await call(service, key, 'POST', `/v1/agent/runs/${runId}/cancel`)
    const text = await (await running).text()
    expect(text).toContain('run_cancelled')
    const run = await ended(runId)
    expect(run).toMatchObject({ status: 'cancelled', cost: run.steps, charged: run.steps })
    const { rows } = await db.database.system.execute<{ last: object; number: number }>(
      `select entries->-1->'record'->'usage' as last, step as number from run_log where run_id = '${runId}' and steps > 0
        order by step desc limit 1`,
    )
    expect(rows[0]).toMatchObject({
      number: 2 * finished + 1,
      last: { completionTokens: 0, estimated: true },
    })
    expect(Number(run.cost)).toBeGreaterThan(100_000)
    held.open()
  },
)
