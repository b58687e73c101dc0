import { beforeAll, expect, test } from 'vitest'
import { exportPlace } from '../../../src/sources/collections/export-place.ts'
import { openPage, type PageRow, pageRows } from '../../support/page-routes.ts'
import { openVisitor, signedUp, type TestVisitor } from '../../support/visitor.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import { newPerson } from '../../support/world/person.ts'
import { makeThings, ownerKey, type Things } from '../../support/world/things.ts'
import { answerText, unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'
import { wordsOfLatin } from './latin-words.ts'

let visitor: TestVisitor
let things: Things

// Nothing listens there.
const world = useWorld({ ...unhurried, web: { libraryExport: exportPlace('http://127.0.0.1:1') } })
beforeAll(async () => {
  const { accountId, ...person } = await newPerson(
    world,
    'owner@example.org',
    `plan = 'pro', operator = true`,
  )
  visitor = person.visitor
  things = await makeThings(world.db, world.service, { accountId, key: await ownerKey(world.db, accountId) })
})

/** What people chose or what is a name, in the pages of the test. */
const names =
  /owner|person|example|org|test|pro|basic|free|unlimited|service|txt|plain|text|beinoni|^Sheet$|Tanya|^What$|^is$|^node$|Aegis|FreeOTP|Google|Authenticator|^hook$|^Standard$|webhooks/i

/** What a page says in English on purpose, and marks so, as the decisions about a run; and ids of accounts. */
const markedEnglish = /<(ol|span) lang="en" dir="ltr">.*?<\/\1>|\bacct_\w+/gs

/** Texts, and attributes that screen readers read, in English. */
async function englishOf(response: Response): Promise<readonly string[]> {
  const page = (await response.text()).replaceAll(answerText, '').replaceAll(markedEnglish, '')
  // What a script puts into a page has no frame.
  if (page.includes('<html')) expect(page).toContain('<html lang="he" dir="rtl">')
  const spoken = [...page.matchAll(/\b(?:aria-label|placeholder|title|alt)="([^"]*)"/g)].map(([, t]) => t)
  return wordsOfLatin(`${page} ${spoken.join(' ')}`).filter((word) => !names.test(word))
}

const hebrew = { 'accept-language': 'he-IL,he;q=0.9' }

test.each(['/signin', '/signup', '/reset-password/none', '/nowhere'])(
  'the page %s is in Hebrew for a Hebrew browser without an account',
  async (path) => {
    expect(await englishOf(await openVisitor(world.service).get(path, hebrew))).toEqual([])
  },
)

const shown = pageRows.filter(
  ({ route, page, ok }) => route.startsWith('GET ') && page !== 'anyone' && ok === 200,
)
const open = [
  '/library',
  '/library/search',
  `/library/search?q=${encodeURIComponent('כלום')}`,
  '/library/daily',
  '/operator/library/collections/breslov',
].map((path) => ({ route: `GET ${path}`, page: 'anyone' }) as const)

test.each<PageRow>([...open, ...shown])(
  'the page $route is in Hebrew for a reader who chose Hebrew',
  async (row) => {
    await visitor.post('/preferences', { language: 'he' })
    const id = (await row.own?.(things, world)) ?? ''
    const page = await openPage(world.service, row, visitor, id)
    if (/^text\/html/.test(page.headers.get('content-type') ?? '')) expect(await englishOf(page)).toEqual([])
  },
)

test('the list of collections by itself leads to the page that has it', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const opened = await visitor.get('/operator/library/collections', { accept })
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/operator/library#collections'])
  expect(await (await visitor.get('/operator/library/collections')).text()).toMatch(
    /^<section id="collections"/,
  )
})

test('an error page says in Hebrew what failed', async () => {
  const reader = await signedUp(world.service, 'person@example.org')
  await reader.post('/preferences', { language: 'he' })
  await world.rows('alter table projects rename to projects_away')
  try {
    const reply = await reader.get('/projects')
    expect(reply.status).toBe(500)
    expect(await englishOf(reply)).toEqual([])
  } finally {
    await world.rows('alter table projects_away rename to projects')
  }
})

test('a refused form says why in the language of the reader', async () => {
  const reader = openVisitor(world.service)
  await reader.post('/preferences', { language: 'he' })
  const reply = await reader.post('/signin', { email: 'owner@example.org', password: 'wrong' })
  expect(await reply.text()).toContain('כתובת הדואר או הסיסמה שגויה')
})

const tooLong = (length: number) => 'א'.repeat(length)

test.each<[path: string, fields?: Record<string, string>]>([
  ['/sessions/SESSION/rename', { name: tooLong(201) }],
  ['/sessions/SESSION/rename', { name: '' }],
  ['/sessions/SESSION/rename', {}],
  ['/files/FILE/rename', { name: '' }],
  ['/settings/keys', { id: 'x', name: 'א', reach: 'owner', expires: 'never' }],
  ['/settings/keys', { id: `key_${'a'.repeat(24)}`, name: 'א', reach: 'owner', expires: 'soon' }],
  ['/runs/RUN/feedback', { rating: 'sideways' }],
  ['/ask', { question: 'מה?', model: 'service' }],
  ['/sessions/SESSION/export?format=rtf'],
  ['/sessions/SESSION?before=x'],
  ['/usage.csv?from=yesterday'],
  ['/usage.csv?from=2026-02-30'],
  ['/usage.csv?from=2026-02-03&to=2026-02-01'],
  ['/usage.csv?from=2020-01-01&to=2026-02-01'],
  ['/files/FILE/content?version=0'],
  [`/library/search?q=${tooLong(1_001)}`],
  ['/library/search?q=א&after=x'],
  ['/library/search?q=א&limit=1000'],
  ['/library/search?q=א&from=x'],
  ['/library/search?q=א&period=x'],
  [`/library/search?q=א&work=${tooLong(301)}`],
  ['/library/search?q=א&author=x'],
  ['/library/search?q=א&q=ב'],
  [`/library/daily?from=${tooLong(11)}`],
])('the refusal of %s %o is in Hebrew', async (path: string, fields?: Record<string, string>) => {
  await visitor.post('/preferences', { language: 'he' })
  const address = path
    .replace('SESSION', things.sessionId)
    .replace('FILE', things.fileId)
    .replace('RUN', things.runId)
  const reply = await (fields === undefined ? visitor.get(address) : visitor.post(address, fields))
  expect(reply.status).toBe(400)
  // Values that the reader has chosen stay as they are.
  const values = new Set(['undated'])
  expect((await englishOf(reply)).filter((word) => !values.has(word))).toEqual([])
})

test('the choice of a language wins over the browser and leads back to the page', async () => {
  const reader = openVisitor(world.service)
  const changed = await reader.post('/preferences', { language: 'en', next: '/signup?a=1' })
  expect([changed.status, changed.headers.get('location')]).toEqual([303, '/signup?a=1'])
  expect(await (await reader.get('/signin', hebrew)).text()).toContain('<html lang="en" dir="ltr">')
})

test('a chosen theme is in the first bytes of the page, so that nothing flashes', async () => {
  const reader = openVisitor(world.service)
  expect(await (await reader.get('/signin')).text()).not.toMatch(/<html[^>]*data-theme=/)
  await reader.post('/preferences', { theme: 'dark' })
  const page = await (await reader.get('/signin')).text()
  expect(page).toContain('<html lang="en" dir="ltr" data-theme="dark">')
  expect(page).toContain('<meta name="color-scheme" content="dark">')
})

test.each(['//evil.example', 'https://evil.example', '/\\evil.example'])(
  'a choice never leads to another site such as %s',
  async (next) => {
    const reply = await openVisitor(world.service).post('/preferences', { theme: 'dark', next })
    expect(reply.headers.get('location')).toBe('/')
  },
)

const titleOf = async (response: Response) => /<title>.*· ([^<]*)</.exec(await response.text())?.[1]

test('the product has its own name, in the language of the reader', async () => {
  const visitor = openVisitor(world.service)
  expect(await titleOf(await visitor.get('/signin'))).toBe('Meduyak')
  expect(await titleOf(await visitor.get('/signin', { 'accept-language': 'he' }))).toBe('מדויק')
  const api = (await (await fetch(`${world.service.url}/openapi.json`)).json()) as { info: { title: string } }
  expect(api.info.title).toBe('Meduyak')
})

test('APP_NAME names the product on pages, in the API description and for MCP clients', async () => {
  const named = await world.start({ appName: 'Beit <Midrash>' })
  try {
    const page = await openVisitor(named).get('/docs', { 'accept-language': 'he' })
    expect(await titleOf(page)).toBe('Beit &lt;Midrash&gt;')
    const api = (await (await fetch(`${named.url}/openapi.json`)).json()) as { info: { title: string } }
    expect(api.info.title).toBe('Beit <Midrash>')
    const account = await makeAccount(world.db.database, 'pro')
    const key = await makeKey(world.db.database, account.id, { reach: { kind: 'owner' } })
    const answer = await fetch(`${named.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    })
    expect(await answer.text()).toContain('"title":"Beit <Midrash>"')
  } finally {
    await named.stop()
  }
})

const ask = 'If a book is missing, ask the person who runs this service to add it.'
const hebrewAsk = 'אם חסר ספר, אפשר לבקש ממי שמפעיל את השירות להוסיף אותו.'
const link = 'href="/operator/library"'

test.each(['/library/search?q=quarkxyz', '/library'])(
  'the page %s without books says to readers whom to ask, and to operators where to add them',
  async (path) => {
    const student = await signedUp(world.service, `student-${path.length}@example.org`)
    const operator = await signedUp(world.service, `operator-${path.length}@example.org`)
    await world.rows(`update accounts set operator = true where email like 'operator-%'`)
    for (const reader of [student, openVisitor(world.service)]) {
      const page = await (await reader.get(path)).text()
      expect(page).toContain(ask)
      expect(page).not.toContain(link)
    }
    const page = await (await operator.get(path)).text()
    expect(page.split('<main')[1]).toContain(link)
    expect(page).not.toContain(ask)
    await student.post('/preferences', { language: 'he' })
    expect(await (await student.get(path)).text()).toContain(hebrewAsk)
  },
)
