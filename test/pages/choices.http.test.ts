import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useFolder } from '../support/folder.ts'
import { reply } from '../support/scripted-upstream.ts'
import { signedUp } from '../support/visitor.ts'
import { openWorld, type World } from '../support/world/world.ts'
import { gateBook } from './browser/gate-book.ts'

const folder = useFolder()
let world: World

beforeAll(async () => {
  const catalogueFile = path.join(folder, 'models.json')
  await writeFile(catalogueFile, JSON.stringify({ models: [{ id: 'quoting' }] }))
  world = await openWorld({ library: gateBook, model: { catalogueFile } })
})
afterAll(() => world?.close())

test('a model, a project, and a conversation to go on with can be chosen', async () => {
  const visitor = await signedUp(world.service, 'chooses@example.org')
  const made = await visitor.post('/projects', { name: 'Shabbat' })
  const project = made.headers.get('location')?.split('/').at(-1) ?? ''
  const start = await (await visitor.get('/ask')).text()
  const [, models = ''] = /<select name="model"[^>]*>([\s\S]*?)<\/select>/.exec(start) ?? []
  expect([...models.matchAll(/value="([^"]*)"/g)].map(([, model]) => model)).toEqual(['service', 'quoting'])
  expect(start).toMatch(new RegExp(`<option value="${project}"[^>]*>Shabbat<`))

  const ask = async (fields: Readonly<Record<string, string>>) => {
    const sent = await visitor.post('/ask', { form: crypto.randomUUID(), ...fields })
    const page = sent.headers.get('location')?.split('#')[0] ?? ''
    const { id } = await world.row<{ id: string }>('select id from runs order by created_at desc limit 1')
    await world.end(id)
    return { page, text: await (await visitor.get(page)).text() }
  }
  const first = await ask({
    question: 'What does a small lamp do in a dark room?',
    model: 'quoting',
    project,
  })
  expect(first.text).toContain('This library only quotes passages.')
  expect(first.text).toMatch(/class="crumb">[\s\S]*Shabbat/)
  expect(world.upstream.requests).toHaveLength(0)

  world.upstream.enqueue(reply('It shines.'))
  const session = /sess_\w+/.exec(first.page)?.[0] ?? ''
  const next = await ask({ question: 'And in a word?', model: 'service', session })
  expect([next.page, next.text.match(/<article class="turn/g)?.length]).toEqual([first.page, 2])
  expect(next.text).toContain('It shines.')
  expect(await world.rows('select 1 from projects')).toHaveLength(1)
})
