import { beforeAll, expect, test } from 'vitest'
import { importLines } from '../../support/library-lines.ts'
import { callTools, reply } from '../../support/scripted-upstream.ts'
import { readStream } from '../../support/sse-rules.ts'
import { call, question } from '../../support/world/requests.ts'
import { useWorld, type World } from '../../support/world/world.ts'

/** A small book of our own, in the form of an import. */
const book = [
  {
    ...{ work: 'The Gate', ref: 'The Gate 1:1', he_ref: 'השער א׳:א׳', license: 'CC0' },
    en: 'A small lamp that is carried into a dark room does not argue with the darkness; it only shines.',
    he: 'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ, אֶלָּא מֵאִיר.',
    source_url: 'https://example.org/gate/1',
  },
  {
    ...{ work: 'The Gate', ref: 'The Gate 2:1', he_ref: 'השער ב׳:א׳', license: 'CC0' },
    en: 'Whoever counts his own good deeds on the road arrives late, because his hands are full of numbers.',
    source_url: 'https://example.org/gate/2',
  },
]

let { upstream, service, key } = {} as World

const world = useWorld()
beforeAll(async () => {
  ;({ upstream, service, key } = world)
  await importLines(world.db.database, book)
})

type Check = { position?: number; result: string; quote?: string; original?: string; found_ref?: string }
type Source = { n: number; ref: string; url: string; license: string; verification: Check[] }
type Block = {
  run_id: string
  session_id: string
  quotations: Check[]
  question_quotations: Check[]
  sources: Source[]
  unknown_marks: number
  unknown_refs: { ref: string; nearest: string | null }[]
}
type Shown = { text: string; block: Block; annotations: { url_citation: { url: string } }[] }

/** The model reads both chapters ([S1] Hebrew or English of the first, …) and then says `answer`. */
function script(answer: string): void {
  const read = (ref: string) => ({ name: 'read_source', arguments: { ref } })
  upstream.enqueue(
    callTools([read('The Gate 1:1')]),
    callTools([read('The Gate 2:1')]),
    reply(answer, { chunks: 40 }),
  )
}

type Message = { content: string; annotations?: Shown['annotations'] }

async function whole(answer: string, options: object = {}): Promise<Shown> {
  script(answer)
  const body = { ...question('What does the Gate teach?'), x_service: options }
  const response = await call(service, key, 'POST', '/v1/chat/completions', body)
  const completion = (await response.json()) as { choices: { message: Message }[]; x_service: Block }
  const { content = '', annotations = [] } = completion.choices[0]?.message ?? {}
  return { text: content, block: completion.x_service, annotations }
}

async function streamed(answer: string): Promise<Shown> {
  script(answer)
  const body = { ...question('What does the Gate teach, in a stream?'), stream: true }
  const response = await call(service, key, 'POST', '/v1/chat/completions', body)
  const { text, chunks, finish } = readStream(await response.text())
  const annotations = chunks.flatMap(({ choices }) => choices[0]?.delta.annotations ?? [])
  return {
    text,
    annotations: annotations as Shown['annotations'],
    block: finish?.x_service as unknown as Block,
  }
}

test('every quotation of an answer has its verdict, whole and streamed', async () => {
  const answer = [
    'It says “does not argue with the darkness; it only shines” [S2].',
    'It says “A small lamp … does not argue with the darkness” [S2].',
    'It says “A small lamp that is carried into the dark room does not argue with darkness” [S2].',
    'It says “arrives late, because his hands are full of numbers” [S2].',
    'It says “the moon is made of silver and of patience” [S2].',
    'נאמר „אינו מתוכח עם החשך אלא מאיר” [S1].',
    'Deeds are not counted [S3].',
  ].join('\n\n')
  for (const { text, block } of [await whole(answer), await streamed(answer)]) {
    const [english, hebrew, other] = block.sources
    const results = ['verbatim', 'edited', 'fuzzy', 'misattributed', 'not_found']
    expect(english).toMatchObject({ n: 1, ref: 'The Gate 1:1', license: 'CC0' })
    expect(english?.verification.map(({ result }) => result)).toEqual(results)
    expect(english?.verification[3]?.found_ref).toBe('The Gate 2:1')
    const original = 'אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ, אֶלָּא מֵאִיר'
    expect(hebrew?.verification).toMatchObject([{ result: 'verbatim', original }])
    expect(other?.verification).toMatchObject([{ result: 'paraphrase' }])
    expect(text).toContain('[1]')
    expect(text).not.toMatch(/\[S\d/)
  }
})

test('the quotations of a question are reported with the answer, also when the run is read', async () => {
  script('Yes [S2].')
  const asked =
    'Is it true that the Gate says “A small lamp … does not argue with the darkness”? (The Gate 1:1)'
  const response = await call(service, key, 'POST', '/v1/chat/completions', question(asked))
  const { x_service: block } = (await response.json()) as { x_service: Block }
  expect(block.question_quotations).toMatchObject([{ result: 'edited' }])
  const run = await call(service, key, 'GET', `/v1/agent/runs/${block.run_id}`)
  expect(JSON.stringify(await run.json())).toContain('"type":"question_quotation"')
})

test('unknown marks leave the text and are counted; invented refs are reported', async () => {
  const answer = 'Light is quiet [S2]. Some add more [S9]. See also The Gate 7:3.'
  for (const shown of [await whole(answer), await streamed(answer)]) {
    expect(shown.text).toContain('Some add more. See also')
    expect(shown.block.unknown_marks).toBe(1)
    expect(shown.block.unknown_refs).toMatchObject([{ ref: 'The Gate 7:3' }])
  }
})

test('the source list closes the text and annotations name its sources, in no later prompt', async () => {
  const { text, annotations, block } = await whole('Light needs no quarrel [S2].')
  expect(text).toMatch(/^Light needs no quarrel \[1\]\.\n\nSources:\n\n\[1\] The Gate 1:1/)
  const citation = { url: 'https://example.org/gate/1', title: 'The Gate 1:1' }
  expect(annotations).toEqual([
    { type: 'url_citation', url_citation: { start_index: 23, end_index: 26, ...citation } },
  ])
  const index = upstream.requests.length
  upstream.enqueue(reply('As I said.'))
  const next = { ...question('And then?'), x_service: { session_id: block.session_id } }
  expect((await call(service, key, 'POST', '/v1/chat/completions', next)).status).toBe(200)
  const prompt = JSON.stringify(upstream.requests[index]?.body.messages)
  expect(prompt).toContain('Light needs no quarrel')
  expect(prompt).not.toMatch(/Sources:|url_citation|example\.org\/gate/)
})

test('with sources as a block the text carries neither numbers nor a list', async () => {
  const { text, block } = await whole('Light needs no quarrel [S2].', { sources: 'block' })
  expect(text).toBe('Light needs no quarrel.')
  expect(block.sources).toHaveLength(1)
})

test('an invented quotation without a mark is reported, whole, streamed and stored', async () => {
  const invented = 'the heart that counts its coins forgets the song of the wells'
  const answer = `The Gate says: “${invented}”. And as everybody knows, “arrives late, because his hands are full of numbers”.`
  for (const shown of [await whole(answer), await streamed(answer)]) {
    expect(shown.block.quotations).toMatchObject([
      { quote: invented, result: 'not_found' },
      { result: 'verbatim', found_ref: 'The Gate 2:1' },
    ])
    expect(shown.text).toMatch(/1 quotation of this answer was not found in the library\.$/)
    const run = await call(service, key, 'GET', `/v1/agent/runs/${shown.block.run_id}`)
    const { output } = (await run.json()) as { output: { type: string; result?: string }[] }
    const stored = output.filter(({ type }) => type === 'quotation').map(({ result }) => result)
    expect(stored).toEqual(['not_found', 'verbatim'])
  }
})

test('checks tell the order of the quotations, over sources and quotations without a citation', async () => {
  const lamp = 'does not argue with the darkness'
  const road = 'arrives late, because his hands are full'
  const invented = 'the moon is made of silver and of patience'
  const answer = `As they say, “${invented}”.\n\nIt says “${lamp}” [S2]. Then “${road}” [S3]. Again “it only shines” [S2].`
  for (const { block } of [await whole(answer), await streamed(answer)]) {
    const run = await call(service, key, 'GET', `/v1/agent/runs/${block.run_id}`)
    const { output } = (await run.json()) as { output: (Check & { type: string; verification?: Check[] })[] }
    const stored = output.flatMap((item) => (item.type === 'quotation' ? [item] : (item.verification ?? [])))
    const replied = [...block.sources.flatMap(({ verification }) => verification), ...block.quotations]
    for (const checks of [stored, replied]) {
      const inOrder = checks.toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
      expect(checks.map(({ position }) => position)).toEqual([2, 4, 3, 1])
      expect(inOrder.map(({ quote }) => quote)).toEqual([invented, lamp, road, 'it only shines'])
    }
  }
})

test('a list of sources that the model writes is left out, and proves nothing', async () => {
  const copied =
    'Light is quiet.\n\nSources:\n\n[1] The Gate 1:1  \nhttps://example.org/gate/1  \nQuotation: word for word'
  for (const shown of [await whole(copied), await streamed(copied)]) {
    expect(shown.text).toBe('Light is quiet.')
    expect(shown.block.sources).toEqual([])
  }
})

test('an answer that a client sends back reaches the model without our list and numbers', async () => {
  const { text } = await whole('Light needs no quarrel [S2].')
  upstream.enqueue(reply('Yes.'))
  const asked = ['What does the Gate teach?', 'Is it so?'].map((content) => ({ role: 'user', content }))
  const messages = asked.toSpliced(1, 0, { role: 'assistant', content: text })
  await call(service, key, 'POST', '/v1/chat/completions', { model: 'service', messages })
  const sent = upstream.requests.at(-1)?.body.messages
  expect(sent?.find(({ role }) => role === 'assistant')?.content).toBe('Light needs no quarrel.')
})
