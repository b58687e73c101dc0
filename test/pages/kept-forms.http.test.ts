import { beforeAll, expect, test } from 'vitest'
import { goodPassword, openVisitor, type TestVisitor } from '../support/visitor.ts'
import { newPerson } from '../support/world/person.ts'
import { makeThings, ownerKey, type Things } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let visitor: TestVisitor
let things: Things

const world = useWorld(unhurried)
beforeAll(async () => {
  const { accountId, ...person } = await newPerson(world, 'writer@example.org', `plan = 'pro'`)
  visitor = person.visitor
  things = await makeThings(world.db, world.service, { accountId, key: await ownerKey(world.db, accountId) })
})

/** The headers of a browser that shows the reply in its window. */
const inWindow = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The form of a page that goes to a path, with its fields as a browser would send them. */
async function formTo(path: string, reply: Response): Promise<Record<string, string> | undefined> {
  const page = await reply.text()
  const form = page
    .split('<form')
    .find((one) => / method="post" action="([^"]*)"/.exec(one.split('>')[0] ?? '')?.[1] === path)
  if (form === undefined) return undefined
  const inputs = [...form.matchAll(/<input\b[^>]*?\bname="([^"]*)"[^>]*?\bvalue="([^"]*)"/g)]
  const areas = [...form.matchAll(/<textarea\b[^>]*?\bname="([^"]*)"[^>]*>([^<]*)</g)]
  return Object.fromEntries(
    [...inputs, ...areas].map(([, name = '', value = '']) => [name, unescaped(value)]),
  )
}

const runsMade = async () =>
  (await world.row<{ count: number }>('select count(*)::int as count from runs')).count

const long = (length: number) => `“<b>Why”? ${'א'.repeat(length)}`

const newKey = { id: 'key_aaaaaaaaaaaaaaaaaaaaaaaa', reach: 'owner', expires: 'never' }
const stranger = { email: `${'a'.repeat(300)}@example.org`, password: 'x' }
const ask = { form: 'f1', model: 'service' }

const refused: readonly (readonly [what: string, path: string, Record<string, string>, written: string])[] = [
  ['a question that is too long', '/ask', { ...ask, question: long(50_001) }, 'question'],
  ['a branch with too long a question', '/runs/RUN/branch', { ...ask, question: long(50_001) }, 'question'],
  ['a branch of no model', '/runs/RUN/branch', { ...ask, model: 'none', question: 'Why?' }, 'question'],
  ['a note on an answer', '/runs/RUN/feedback', { rating: 'up', note: long(2_001) }, 'note'],
  ['the name of a conversation', '/sessions/SESSION/rename', { name: long(200) }, 'name'],
  // A name is refused by the rule of names, and a very long one by the bound of its form.
  ['the name of a project', '/projects/PROJECT/rename', { name: long(200) }, 'name'],
  ['a very long name of a project', '/projects/PROJECT/rename', { name: long(1_001) }, 'name'],
  ['the name of a new project', '/projects', { name: long(200) }, 'name'],
  ['a very long name of a new project', '/projects', { name: long(1_001) }, 'name'],
  ['the name of a file', '/files/FILE/rename', { name: long(300) }, 'name'],
  ['a very long name of a file', '/files/FILE/rename', { name: long(2_001) }, 'name'],
  ['the name of a new key', '/settings/keys', { ...newKey, name: long(100) }, 'name'],
  ['a very long name of a new key', '/settings/keys', { ...newKey, name: long(201) }, 'name'],
  ['the title of a sheet', '/sheets', { title: long(10_001) }, 'title'],
  ['the address of a sign-in', '/signin', stranger, 'email'],
  ['the address of a sign-up', '/signup', stranger, 'email'],
]

test.each(refused)('%s stays in the form when it is refused', async (_what, template, fields, written) => {
  const path = template
    .replace('RUN', things.runId)
    .replace('SESSION', things.sessionId)
    .replace('PROJECT', things.projectId)
    .replace('FILE', things.fileId)
  const before = await runsMade()
  const reply = await visitor.post(path, fields, inWindow)
  expect([400, 404]).toContain(reply.status)
  expect((await formTo(path, reply))?.[written]).toBe(fields[written])
  expect(await runsMade()).toBe(before)
})

test('a question of a conversation that is not there can be asked without it', async () => {
  const fields = { form: 'gone', model: 'service', session: 'sess_none', question: 'What is joy?' }
  const reply = await visitor.post('/ask', fields, inWindow)
  expect(reply.status).toBe(404)
  const form = await formTo('/ask', reply)
  expect(form).toEqual({ form: 'gone', model: 'service', question: 'What is joy?' })
  expect((await visitor.post('/ask', form ?? {}, inWindow)).status).toBe(303)
})

test('a note of 2,000 characters in lines is taken, as the browser counts them', async () => {
  const note = 'abc\r\n'.repeat(500)
  const reply = await visitor.post(`/runs/${things.runId}/feedback`, { rating: 'down', note }, inWindow)
  expect(reply.status).toBe(303)
})

test('a failed form has a link back to its page', async () => {
  const referer = `${world.service.url}/sessions/${things.sessionId}`
  const fields = { form: 'f', model: 'service', question: ' ' }
  const reply = await visitor.post(`/runs/${things.runId}/branch`, fields, { ...inWindow, referer })
  expect(reply.status).toBe(400)
  expect(await reply.text()).toContain(`href="/sessions/${things.sessionId}"`)
})

/** A visitor whose session has ended sends a form. */
async function sentTooLate(path: string, fields: Record<string, string>) {
  const late = openVisitor(world.service)
  late.cookies.set('session', 'a'.repeat(43))
  return { late, reply: await late.post(path, fields, inWindow) }
}

test('a form that was sent after the end of the session comes back after the sign-in, and is not sent', async () => {
  const before = await runsMade()
  const question = long(49_000)
  const { late, reply } = await sentTooLate('/ask', { form: 'late', model: 'service', question })
  expect(reply.status).toBe(403)
  expect(reply.headers.get('location')).toBeNull()
  const carried = await formTo('/signin', reply)
  const wrong = await late.post(
    '/signin',
    { ...carried, email: 'writer@example.org', password: 'wrong' },
    inWindow,
  )
  const again = await formTo('/signin', wrong)
  expect(again?.['kept']).toBe(carried?.['kept'])
  const back = await late.post(
    '/signin',
    { ...again, email: 'writer@example.org', password: goodPassword },
    inWindow,
  )
  expect(back.status).toBe(200)
  const form = await formTo('/ask', back)
  expect(form).toEqual({ form: 'late', model: 'service', question })
  expect(await runsMade()).toBe(before)
  expect((await late.post('/ask', form ?? {}, inWindow)).status).toBe(303)
  expect(await runsMade()).toBe(before + 1)
})

test.each<[string, string]>([
  ['a form that deletes', JSON.stringify({ action: '/settings/account/delete', fields: [['name', 'x']] })],
  ['another site', JSON.stringify({ action: 'https://evil.example/ask', fields: [['question', 'x']] })],
  [
    'an address of another site',
    JSON.stringify({ action: '//evil.example/ask', fields: [['question', 'x']] }),
  ],
  ['a form without words', JSON.stringify({ action: '/ask', fields: [['question', '  ']] })],
  ['no JSON', '{'],
  ['other JSON', '[]'],
])('a sign-in that carries %s shows no form', async (_what, kept) => {
  const fields = { email: 'writer@example.org', password: goodPassword, kept }
  const reply = await openVisitor(world.service).post('/signin', fields, inWindow)
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/ask'])
})

test.each([
  [
    'a form with a password',
    '/settings/account/password',
    { current: goodPassword, next: 'another good one' },
  ],
  ['a form without words', '/sessions/SESSION/delete', {}],
  ['a form of more than 100,000 characters', '/ask', { form: 'f', question: 'a'.repeat(100_001) }],
])('%s that was sent after the end of the session is not carried', async (_what, path, fields) => {
  const { reply } = await sentTooLate(path.replace('SESSION', things.sessionId), fields)
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/signin?ended=form'])
})

test('a sign-in that another site sends with a form is refused', async () => {
  const kept = JSON.stringify({ action: '/ask', fields: [['question', 'x']] })
  const fields = { email: 'writer@example.org', password: goodPassword, kept }
  const reply = await openVisitor(world.service).post('/signin', fields, { 'sec-fetch-site': 'cross-site' })
  expect(reply.status).toBe(403)
  expect(await formTo('/ask', reply)).toBeUndefined()
})
