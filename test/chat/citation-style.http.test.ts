import { beforeAll, expect, test } from 'vitest'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { sendJson } from '../support/http-raw.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)
beforeAll(async () => {
  await importJsonl(world.db.database, passages(), { allowLicenses: [] })
})

async function* passages(): AsyncGenerator<string> {
  const en = 'A lamp gives light to the room.'
  const source_url = 'https://example.org/lamps/1'
  yield JSON.stringify({ work: 'Book of Lamps', ref: 'Book of Lamps 1', en, license: 'CC0', source_url })
}

/** Each question differs: an equal one on a new connection would be a retry of the one before. */
let asked = 0
const ask = async (fields: object) => {
  asked += 1
  const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
  world.upstream.enqueue(callTools([search]), reply('A lamp gives light [S1]. More [S1].'))
  const answer = await sendJson(world.service, {
    method: 'POST',
    path: '/v1/chat/completions',
    key: home.key,
    body: { model: 'service', messages: [{ role: 'user', content: `lamp light ${asked}` }], ...fields },
  })
  expect(answer.status, answer.text).toBe(200)
  return answer
}
const link = '[1](https://example.org/lamps/1)'
const linked = `A lamp gives light ${link}. More ${link}.`
const x_service = { citation_style: 'links' }

test('links replace numbers in a whole and in a streamed answer, and annotations cover them', async () => {
  const [choice] = JSON.parse((await ask({ x_service })).text).choices
  const { content, annotations } = choice.message
  expect(content.startsWith(linked)).toBe(true)
  for (const { url_citation: at } of annotations)
    expect(content.slice(at.start_index, at.end_index)).toBe(link)
  expect(annotations).toHaveLength(2)
  const { text } = await ask({ x_service, stream: true })
  const deltas = text.matchAll(/"delta":\{"content":("(?:[^"\\]|\\.)*")\}/g)
  const streamed = [...deltas].map(([, json]) => JSON.parse(json ?? '""')).join('')
  expect(streamed.startsWith(linked)).toBe(true)
})

test('the next turn tells the model an earlier answer without its links', async () => {
  const first = JSON.parse((await ask({ x_service })).text)
  world.upstream.enqueue(reply('Yes.'))
  await ask({
    messages: [{ role: 'user', content: 'And?' }],
    x_service: { session_id: first.x_service.session_id },
  })
  const told = JSON.stringify(world.upstream.requests.at(-1)?.body.messages)
  expect(told).toContain('A lamp gives light')
  expect(told).not.toContain('](https://example.org')
})

test('`block` has neither numbers nor links', async () => {
  const answer = JSON.parse((await ask({ x_service: { ...x_service, sources: 'block' } })).text)
  expect(answer.choices[0].message.content).toBe('A lamp gives light. More.')
})
