import { beforeAll, expect, test } from 'vitest'
import { sheetLimits } from '../../src/sheets/entries.ts'
import { importLines } from '../support/library-lines.ts'
import { openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'

const gate = { work: 'The Gate', license: 'CC0', source_url: 'https://example.org/gate' }
const book = [
  {
    ...gate,
    ref: 'The Gate 1:1',
    he_ref: 'השער א׳:א׳',
    he: 'נר קטן &lt;b&gt;מאיר&lt;/b&gt;',
    en: 'A small lamp.',
  },
  { ...gate, ref: 'The Gate 1:2', he_ref: 'השער א׳:ב׳', he: 'שמן שאול', en: 'Borrowed oil.' },
]
const json = { 'sec-fetch-site': 'same-origin', accept: 'application/json' }

let visitor: TestVisitor

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  await importLines(world.db.database, book)
  visitor = await signedUp(world.service, 'sheets@example.org')
})

const add = async (fields: Readonly<Record<string, string>>, from = visitor) =>
  from.post('/sheets/add', { ref: 'The Gate 1:1', sheet: 'new', ...fields }, json)
const newSheet = async (title: string) => {
  const reply = (await (await add({ title })).json()) as { sheet: string; href: string }
  return { id: reply.sheet, entry: reply.href.split('#entry-')[1] ?? '' }
}
const pageOf = async (path: string, from = visitor) => (await from.get(path)).text()
const entriesOf = (page: string) => [...page.matchAll(/name="entry" value="(\w+)"/g)].map(([, id = '']) => id)

test('a passage is added to a new sheet and to one that exists, with its texts as text', async () => {
  const { id } = await newSheet('Lamps')
  const reply = await add({ sheet: id, ref: 'the gate 1:2' })
  expect(await reply.json()).toMatchObject({ sheet: id, title: 'Lamps', href: expect.stringContaining(id) })
  const page = await pageOf(`/sheets/${id}`)
  expect(entriesOf(page)).toHaveLength(2)
  expect(page).toContain('נר קטן &lt;b&gt;מאיר&lt;/b&gt;')
  expect(page).toContain('The Gate 1:2')
  expect(page).toContain('CC0')
})

test('a passage that the library does not have is refused with refs that are near', async () => {
  const { id } = await newSheet('Refused')
  const refused = await add({ sheet: id, ref: 'The Gate 1:9' })
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { message: 'The library has no “The Gate 1:9”.', field: 'ref' },
  ])
  const form = await visitor.post(`/sheets/${id}`, { title: 'Refused', action: 'add', ref: 'The Gate 1:9' })
  expect(form.status).toBe(400)
  const page = await form.text()
  expect(page).toContain('Did you mean:')
  expect(page).toContain('value="The Gate 1:9"')
})

test('a form without scripts saves, moves, adds notes and removes', async () => {
  const { id, entry: first } = await newSheet('Steps')
  const path = `/sheets/${id}`
  const send = async (fields: Readonly<Record<string, string>>) => {
    const entry = entriesOf(await pageOf(path))
    const body = new URLSearchParams({ title: 'Steps', intro: '' })
    for (const one of entry) body.append('entry', one)
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { 'sec-fetch-site': 'same-origin', cookie }
    const reply = await fetch(world.service.url + path, { method: 'POST', body, headers, redirect: 'manual' })
    expect(reply.status).toBe(303)
    return entriesOf(await pageOf(path))
  }
  const [, second = ''] = await send({ action: 'add', ref: 'The Gate 1:2' })
  expect(await send({ action: `down:${first}` })).toEqual([second, first])
  const [, note = ''] = await send({ action: `note:${second}`, [`heading-${first}`]: 'First <i>' })
  expect(await send({ action: 'save', [`text-${note}`]: 'שאלה' })).toEqual([second, note, first])
  const page = await pageOf(`${path}/preview`)
  expect(page).toContain('First &lt;i&gt;')
  expect(page).toContain('שאלה')
  expect(await send({ action: `remove:${note}` })).toEqual([second, first])
})

test('a script that sends too long a note reads which field to shorten', async () => {
  const { id, entry } = await newSheet('Long')
  const fields = { title: 'Long', entry, [`heading-${entry}`]: 'x'.repeat(sheetLimits.heading + 1) }
  const reply = await visitor.post(`/sheets/${id}`, fields, json)
  expect([reply.status, await reply.json()]).toEqual([
    400,
    {
      saved: false,
      field: `heading-${entry}`,
      message: 'A heading has 201 characters. It may have 200 characters: shorten it.',
    },
  ])
})

test.each([
  ['pdf', 'application/pdf', '%PDF'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK'],
  ['html', 'text/html; charset=utf-8', '<!doctype html>'],
  ['md', 'text/markdown; charset=utf-8', '# '],
])('a sheet is downloaded as %s under its title', async (format, type, start) => {
  const { id } = await newSheet('על הנר / lamps')
  const reply = await visitor.get(`/sheets/${id}/file?format=${format}`)
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type])
  const name = encodeURIComponent(`על הנר - lamps.${format}`)
  expect(reply.headers.get('content-disposition')).toContain(`filename*=UTF-8''${name}`)
  expect(reply.headers.get('content-security-policy')).toBe('sandbox')
  expect(Buffer.from(await reply.arrayBuffer()).toString('latin1')).toMatch(new RegExp(`^${start}`))
})

test('a public link shows the sheet to strangers, without its editor, and can be revoked', async () => {
  const { id } = await newSheet('Shared lamps')
  await visitor.post(`/sheets/${id}/share`, {})
  const path = /\/sheets\/shared\/[\w-]+/.exec(await pageOf(`/sheets/${id}`))?.[0] ?? ''
  const stranger = openVisitor(world.service)
  const shown = await stranger.get(path)
  expect(shown.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  const page = await shown.text()
  expect(page).toContain('Shared lamps')
  expect(page).toContain('A small lamp.')
  expect(page).not.toContain('<form class="sheet-editor"')
  for (const format of ['pdf', 'docx', 'html', 'md']) {
    expect(page).toContain(`href="${path}/file?format=${format}"`)
    const file = await stranger.get(`${path}/file?format=${format}`)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-disposition')).toContain(`Shared%20lamps.${format}`)
    expect(file.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  }
  // Word files have the time of their making in them.
  const word = async (from: TestVisitor) => (await from.get(`${path}/file?format=docx`)).arrayBuffer()
  expect(await word(openVisitor(world.service))).toEqual(await word(stranger))
  await visitor.post(`/sheets/${id}/unshare`, {})
  expect((await stranger.get(`${path}/file?format=md`)).status).toBe(404)
  const gone = await stranger.get(path)
  const never = await stranger.get('/sheets/shared/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
  expect([gone.status, never.status]).toEqual([404, 404])
})

test('deleting an account deletes its sheets, and a public link of it ends', async () => {
  const leaver = await signedUp(world.service, 'leaver@example.org')
  const made = (await (await add({ title: 'Mine' }, leaver)).json()) as { sheet: string }
  await leaver.post(`/sheets/${made.sheet}/share`, {})
  await leaver.post('/settings/account/delete', { current: 'four unrelated words here' })
  expect(await world.rows('select 1 from source_sheets where id = $1', made.sheet)).toEqual([])
})
