import { expect, test } from 'vitest'
import { noSettings } from '../../../src/accounts/keys/key-settings.ts'
import { changeKey, createKey } from '../../../src/accounts/keys/keys.ts'
import { withTx } from '../../../src/db/client.ts'
import { ServiceError } from '../../../src/errors.ts'
import { createSheet, requireTitle } from '../../../src/sheets/store.ts'
import { form, send, sendJson } from '../../support/http-raw.ts'
import { testPeppers } from '../../support/world/accounts.ts'
import { makeKeyWithId, useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

type Outcome = { readonly name: string } | { readonly refused: string | null; readonly message: string }

async function call(method: string, path: string, name: string): Promise<Outcome> {
  const call = { method, path, key: home.key, body: { name } }
  return outcomeOf((await sendJson(world.service, call)).text)
}

function outcomeOf(text: string): Outcome {
  const { name, filename, error } = JSON.parse(text)
  return error ? { refused: error.param, message: error.message } : { name: name ?? filename }
}

const upload = async (name: string) => {
  const parts = form([{ name: 'file', filename: name, content: 'x' }])
  return outcomeOf(
    (await send(world.service, { method: 'POST', path: '/v1/files', key: home.key, ...parts })).text,
  )
}

/** What the web pages and the command line call. */
async function direct(work: () => Promise<string>): Promise<Outcome> {
  try {
    return { name: await work() }
  } catch (error) {
    if (error instanceof ServiceError) return { refused: error.param, message: error.message }
    throw error
  }
}

const inTx = <T>(work: Parameters<typeof withTx<T>>[2]) => withTx(world.db.database, 'system', work)

/** All names that people give, by the field that has them. */
const places: Readonly<Record<string, readonly [field: string, give: (name: string) => Promise<Outcome>]>> = {
  'a new session': ['name', (name) => call('POST', '/v1/agent/sessions', name)],
  'a session': ['name', (name) => call('PATCH', `/v1/agent/sessions/${home.sessionId}`, name)],
  'a new project': ['name', (name) => call('POST', '/v1/projects', name)],
  'a project': ['name', (name) => call('PATCH', `/v1/projects/${home.projectId}`, name)],
  'a file': ['file', upload],
  'a new key': [
    'name',
    (name) =>
      direct(async () => {
        const input = { name, reach: { kind: 'dedicated' } } as const
        return (await inTx((tx) => createKey(tx, testPeppers, home.accountId, input))).info.name
      }),
  ],
  'a key': [
    'name',
    (name) =>
      direct(async () => {
        const { id } = await makeKeyWithId(world.db, home.accountId, { kind: 'dedicated' })
        return (await inTx((tx) => changeKey(tx, id, { name, settings: noSettings }))).info.name
      }),
  ],
  'a new source sheet': [
    'title',
    (title) => direct(async () => (await inTx((tx) => createSheet(tx, home, title))).title),
  ],
  'a source sheet': ['title', (title) => direct(async () => requireTitle(title))],
}

test.each(Object.entries(places))('%s is not named with what disguises a name', async (_, [, give]) => {
  expect(await give('invoice\u202egpj.exe')).toEqual({ name: 'invoicegpj.exe' })
  expect(await give('\u2067joy\u2069 \u202a1\u202c\u200b')).toEqual({ name: 'joy 1' })
  expect(await give('שמחה 👨\u200d👧')).toEqual({ name: 'שמחה 👨\u200d👧' })
})

test.each(Object.entries(places))(
  'the name of %s with a control character is refused',
  async (_, [field, give]) => {
    for (const name of ['a\u001b[2Jb', 'a\u009b2Jb', 'a\u2028b']) {
      expect(await give(name)).toEqual({
        refused: field,
        message: expect.stringMatching(new RegExp(`^The name in \`${field}\` has control characters`)),
      })
    }
  },
)
