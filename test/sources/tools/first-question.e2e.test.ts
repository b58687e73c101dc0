import OpenAI from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { bodyOf, call, question } from '../../support/world/requests.ts'
import { useWorld, type World } from '../../support/world/world.ts'

let { db, service, key } = {} as World

const world = useWorld({ model: 'built-in', library: 'concepts' })
beforeAll(async () => {
  ;({ db, service, key } = world)
})

const ask = (text: string) => call(service, key, 'POST', '/v1/chat/completions', question(text))
const client = () => new OpenAI({ apiKey: key, baseURL: `${service.url}/v1` })
const asked = 'What does the Tanya mean by a beinoni?'

test('the official SDK gets a sourced answer, and its cost is the number in the ledger', async () => {
  const completion = await client().chat.completions.create(question(asked) as never)
  const reply = completion as unknown as {
    choices: { message: { content: string } }[]
    usage: { cost: number }
    x_service: { run_id: string; session_id: string; sources: { ref: string }[] }
  }
  expect(reply.choices[0]?.message.content).toContain('beinoni')
  expect(reply.x_service.sources[0]?.ref).toContain('Beinoni')
  const run = await bodyOf(call(service, key, 'GET', `/v1/agent/runs/${reply.x_service.run_id}`))
  expect(run.status).toBe('completed')
  expect(Number(run.credits)).toBe(reply.usage.cost)
  const ledger = await db.database.system.execute<{ amount: string }>(
    `select (-allowance_micros - granted_micros)::text as amount from ledger where kind = 'charge' and run_id = '${run.id}'`,
  )
  expect(ledger.rows.map((row) => Number(row.amount) / 1e6)).toEqual([reply.usage.cost])
  expect(reply.usage.cost).toBeGreaterThan(0)
})

test.each([
  ['מה זה מחז"ז?', 'בחיפוש בספרייה לא נמצא קטע שמשיב על כך.'],
  ['How do vaccines work?', 'found no passage that answers'],
])('a question that the library cannot answer is refused without a source: %s', async (text, words) => {
  const { choices, x_service } = await bodyOf(ask(text))
  expect(choices[0].message.content).toContain(words)
  expect(x_service.sources).toEqual([])
})

test('a streamed answer has the same text and sources as a whole one', async () => {
  const whole = await bodyOf(ask(asked))
  const stream = client().chat.completions.stream(question(asked) as never)
  const final = await stream.finalChatCompletion()
  expect(final.choices[0]?.message.content).toBe(whole.choices[0].message.content)
  expect(final.choices[0]?.finish_reason).toBe('stop')
  expect((final as unknown as { x_service: { status: string } }).x_service.status).toBe('completed')
})

test('asked for a sheet in Hebrew, the turn writes a file that can be downloaded', async () => {
  const response = await ask('מהו בינוני? הכן לי דף מקורות')
  const reply = (await response.json()) as { x_service: { files: { id: string; filename: string }[] } }
  const [file] = reply.x_service.files
  expect(response.headers.get('x-service-files')).toBe(file?.id)
  const content = await call(service, key, 'GET', `/v1/files/${file?.id}/content`)
  expect(await content.text()).toContain('בינוני')
})
