import { beforeAll, expect, test } from 'vitest'
import { importLines } from '../support/library-lines.ts'
import { openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'
import { gateBook } from './browser/gate-book.ts'

let visitor: TestVisitor

const world = useWorld({ model: 'built-in', library: gateBook })
beforeAll(async () => {
  visitor = await signedUp(world.service, 'reader@example.org')
})

const textOf = async (path: string) => (await visitor.get(path)).text()

test('the days of the list of conversations are those of the time zone of the reader', async () => {
  await visitor.post('/ask', { form: 'f', question: 'When?', model: 'service' })
  const { id } = await world.row<{ id: string }>('select id from runs')
  await world.end(id)
  await world.rows(`update sessions set updated_at = now() - interval '12 hours'`)
  const dayIn = async (zone: string) => {
    visitor.cookies.set('zone', encodeURIComponent(zone))
    return /class="rail-day"[^>]*>([^<]*)</.exec(await textOf('/ask'))?.[1]
  }
  // Twelve hours apart: one of the two has had its midnight since.
  const days = [await dayIn('UTC'), await dayIn('Etc/GMT-12')]
  expect(days.toSorted()).toEqual(['Today', 'Yesterday'])
  expect(await dayIn('No/Where')).toBe(days[0])
  visitor.cookies.delete('zone')
})

test('Hebrew pages begin with the Hebrew names of works and passages', async () => {
  await world.rows(`update works set he_title = 'השער' where title = 'The Gate'`)
  visitor.cookies.set('language', 'he')
  const reader = await textOf('/library/read/The%20Gate%201:1')
  expect(reader).toContain('<title>השער א׳:א׳ ·')
  expect(reader).toContain('<h1 lang="he" dir="rtl">השער א׳:א׳</h1>')
  const toWork = /<a href="\/library\/work\/The%20Gate" dir="auto">השער<\/a>/
  expect(reader).toMatch(toWork)
  expect(await textOf('/library/passage/The%20Gate%201:1')).toMatch(toWork)
  expect(await textOf('/library/daily?work=The+Gate')).toContain('<bdi>השער א׳</bdi>')
  const found = await textOf('/library/search?q=lamp&work=The+Gate')
  expect(found).toMatch(toWork)
  expect(found).toContain('<bdi>השער</bdi>')
  expect(found).toMatch(
    /<a class="" href="[^"]*" lang="he" dir="rtl">השער א׳:א׳<\/a> <bdi class="other-name" dir="auto">The Gate 1:1/,
  )
  visitor.cookies.set('language', 'en')
  expect(await textOf('/library/read/The%20Gate%201:1')).toContain('<h1 dir="auto">The Gate 1:1</h1>')
})

test('a Hebrew page of own reading has Hebrew refs, an English one English refs', async () => {
  await visitor.post('/library/marks', { ref: 'The Gate 1:1', bookmark: 'on' })
  await textOf('/library/read/The%20Gate%201:1')
  visitor.cookies.set('language', 'he')
  const mine = await textOf('/library/mine')
  expect(
    [...mine.matchAll(/<li><a class="ref" href="[^"]*" dir="auto">([^<]*)</g)].map(([, name]) => name),
  ).toEqual(['השער א׳', 'השער א׳:א׳'])
  visitor.cookies.set('language', 'en')
  expect(await textOf('/library/mine')).toContain('dir="auto">The Gate 1:1</a>')
})

test('categories have Hebrew names wherever a Hebrew page shows them, others stay as they are', async () => {
  expect(await textOf('/library')).not.toContain('class="shelf-nav"')
  const line = (work: string, category: readonly string[]) => ({
    ...{ work, category, ref: `${work} 1`, en: `A lantern of ${work}.`, license: 'CC0' },
  })
  await importLines(world.db.database, [
    line('Lantern One', ['Chasidut', 'Chabad']),
    line('Lantern Two', ['Musar', 'Homemade']),
  ])
  const linked = async (path: string) => {
    const links = (await textOf(path)).matchAll(/<a href="([^"]*category=[^"]*)"[^>]*>([^<]*)</g)
    return [...links].map(([, href = '', name]) => [/category=([^&]*)/.exec(href)?.[1], name])
  }
  const expected = { Chasidut: 'חסידות', Chabad: 'חב״ד', Musar: 'מוסר', Homemade: 'Homemade' }
  visitor.cookies.set('language', 'he')
  for (const path of ['/library', '/library/search?q=lantern', '/library/work/Lantern%20One']) {
    const found = await linked(path)
    expect(found).not.toEqual([])
    expect(expected).toMatchObject(Object.fromEntries(found))
  }
  expect(await linked('/library/search?q=lantern')).toHaveLength(4)
  const chosen = await textOf('/library?category=Chasidut')
  expect(chosen).toContain('<h2 id="works" dir="auto">חסידות</h2>')
  expect(chosen).toContain('<bdi>חב״ד</bdi>')
  expect(await textOf('/library/search?q=lantern&category=Musar')).toContain('<bdi>מוסר</bdi>')
  visitor.cookies.set('language', 'en')
  expect(await linked('/library/work/Lantern%20One')).toEqual([
    ['Chasidut', 'Chasidut'],
    ['Chabad', 'Chabad'],
  ])
  visitor.cookies.delete('language')
})

test('the project of the first question and the steps of a turn have Hebrew names', async () => {
  visitor.cookies.set('language', 'he')
  expect(await textOf('/projects')).toContain('>השאלות שלי</a>')
  const [run] = await world.rows<{ id: string }>('select id from runs')
  const page = await textOf(`/runs/${run?.id}`)
  expect(page).toContain('כתיבת התשובה')
  expect(page).not.toMatch(/Writing the answer|Searching for/)
  visitor.cookies.delete('language')
})

test('a question of the start page is asked when an account is made', async () => {
  const stranger = openVisitor(world.service)
  const asked = await stranger.get('/ask?question=What%20is%20a%20lamp%3F')
  const signIn = await (await stranger.get(asked.headers.get('location') ?? '')).text()
  const signUp = /href="(\/signup\?next=[^"]*)"/.exec(signIn)?.[1] ?? ''
  const form = (await (await stranger.get(signUp)).text()).split('<main')[1] ?? ''
  expect(form).toContain('Asked as soon as you are in: “<bdi>What is a lamp?</bdi>”')
  const next = /name="next" value="([^"]*)"/.exec(form)?.[1] ?? ''
  const fields = { email: 'asks@example.org', password: 'four unrelated words here' }
  const made = await stranger.post('/signup', { ...fields, next })
  expect(made.headers.get('location')).toMatch(/^\/sessions\/sess_\w+#last$/)
  const { id } = await world.row<{ id: string }>('select id from runs order by created_at desc limit 1')
  await world.end(id)
  const page = await (await stranger.get(made.headers.get('location') ?? '')).text()
  expect(page).toContain('<p>What is a lamp?</p>')
})

test('a question of a visitor that cannot be asked stays in the box', async () => {
  const question = 'x'.repeat(1_900)
  const next = `/ask?question=${question}&project=none`
  const stranger = openVisitor(world.service)
  const form = await (await stranger.get(`/signup?next=${encodeURIComponent(next)}`)).text()
  expect(form).not.toContain('Asked as soon as you are in')
  const fields = { email: 'asks-long@example.org', password: 'four unrelated words here', next }
  const made = await stranger.post('/signup', fields)
  expect(await (await stranger.get(made.headers.get('location') ?? '')).text()).toContain(
    `>${question}</textarea>`,
  )
})

test('pages have their styles in them, and are compressed unless they show a secret link', async () => {
  const { sessionId } = await world.row<{ sessionId: string }>(
    'select session_id as "sessionId" from runs order by created_at limit 1',
  )
  const path = `/sessions/${sessionId}`
  const page = await visitor.get(path)
  expect(page.headers.get('content-encoding')).toBe('gzip')
  const [, nonce] =
    /style-src 'self' 'nonce-([\w-]+)'/.exec(page.headers.get('content-security-policy') ?? '') ?? []
  const [, styles = ''] = new RegExp(`<style nonce="${nonce}">([^<]*)</style>`).exec(await page.text()) ?? []
  expect(styles).toMatch(/\.bar > nav[\s\S]*\.composer/)
  const [, font = ''] = /url\("([^"]+)"\)/.exec(styles) ?? []
  expect((await visitor.get(font)).headers.get('content-type')).toBe('font/woff2')
  await visitor.post(`${path}/share`, {})
  expect((await visitor.get(path)).headers.get('content-encoding')).toBeNull()
})
