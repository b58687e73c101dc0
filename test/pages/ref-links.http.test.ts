import { beforeAll, expect, test } from 'vitest'
import { callTools, reply } from '../support/scripted-upstream.ts'
import { signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'

const passage = (work: string, ref: string, en: string) => ({ work, ref, en, license: 'CC0' })

const library = [
  passage(
    'The Wall',
    'The Wall 1:1',
    'The wall that was built in one night kept out one wind (see Open Gate 2:1).',
  ),
  passage(
    'Open Gate',
    'Open Gate 2:1',
    'The Wall is older than the gate, and whoever mends it is praised at 2:1.',
  ),
]
let visitor: TestVisitor

const world = useWorld({ library, web: { signUpPlan: 'pro' } })
beforeAll(async () => {
  visitor = await signedUp(world.service, 'links@example.org')
})

/** The links of the answer and of the sources on the page of a conversation. */
async function linksOf(answer: string) {
  world.upstream.enqueue(
    callTools([{ name: 'read_source', arguments: { ref: 'The Wall 1:1' } }]),
    reply(answer),
  )
  await visitor.post('/ask', { form: crypto.randomUUID(), question: 'What of the wall?', model: 'service' })
  const newest = 'select id, session_id as session from runs order by created_at desc limit 1'
  const run = await world.row<{ id: string; session: string }>(newest)
  await world.end(run.id)
  const page = await (await visitor.get(`/sessions/${run.session}`)).text()
  const linksIn = (part: RegExp) => {
    const links = (part.exec(page)?.[0] ?? '').matchAll(/<a class="ref" href="([^"]*)">(.*?)<\/a>/g)
    return [...links].map(([, href = '', text]) => [decodeURIComponent(href), text])
  }
  return {
    answer: linksIn(/<div class="answer">[\s\S]*?<\/div>/),
    source: linksIn(/<blockquote class="text"[\s\S]*?<\/blockquote>/),
  }
}

test('words of a quotation are no link to a work with that name; the same words outside are', async () => {
  const quotation = '“The wall that was built in one night kept out one wind” [S1]'
  expect((await linksOf(`It says ${quotation}. More is in The Wall.`)).answer).toEqual([
    ['/library/work/The Wall', 'The Wall'],
  ])
  expect((await linksOf(`It says ${quotation}, and no more.`)).answer).toEqual([])
})

test('the title of several words is a link without its possessive', async () => {
  const { answer } = await linksOf('That is Open Gate’s answer, not mine [S1].')
  expect(answer).toEqual([['/library/work/Open Gate', 'Open Gate']])
})

test('a ref in the text of a source is a link, also within quoted words', async () => {
  const { source } = await linksOf('It says “kept out one wind (see Open Gate 2:1)” [S1].')
  expect(source).toEqual([['/library/read/Open Gate 2:1', '<mark>Open Gate 2:1</mark>']])
})
