import { beforeAll, describe, expect, test } from 'vitest'
import { closeWindows, hasBrowser, openBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { form, send } from '../../support/http-raw.ts'
import { goodPassword, type TestVisitor } from '../../support/visitor.ts'
import { makeKey } from '../../support/world/accounts.ts'
import { newPerson } from '../../support/world/person.ts'
import { useWorld, type World } from '../../support/world/world.ts'

let { db, service } = {} as World
let visitor: TestVisitor
let key: string

const world = useWorld({ model: 'built-in', web: { signUpPlan: 'pro' } })
beforeAll(async () => {
  ;({ db, service } = world)
  const person = await newPerson(world, 'author@example.org')
  visitor = person.visitor
  key = await makeKey(db.database, person.accountId, { reach: { kind: 'owner' } })
})

async function upload(type: string, content = 'document.title = "owned"'): Promise<string> {
  const parts = [{ name: 'file', filename: 'a.txt', content, type }]
  const reply = await send(service, { method: 'POST', path: '/v1/files', key, ...form(parts) })
  return JSON.parse(reply.text).id
}

test.each([
  'text/javascript',
  'application/javascript',
  'text/ecmascript',
  'text/jscript',
  'text/livescript',
  'text/javascript1.5',
  'text/css',
  'application/wasm',
  'text/xsl',
  'text/html, bad',
])('a file of type %s goes out as plain bytes, by the API and by the pages', async (type) => {
  const id = await upload(type)
  const headers = { authorization: `Bearer ${key}` }
  for (const reply of [
    await fetch(`${service.url}/v1/files/${id}/content`, { headers }),
    await visitor.get(`/files/${id}/content`),
  ]) {
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('application/octet-stream')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test.each(['text/plain', 'application/json', 'image/png', 'application/pdf'])(
  'a file of type %s keeps its type',
  async (type) => {
    const reply = await visitor.get(`/files/${await upload(type)}/content`)
    expect(reply.headers.get('content-type')).toBe(type)
  },
)

test('no policy of a page or of the docs trusts scripts by where they lie', async () => {
  const id = await upload('text/plain')
  for (const path of ['/ask', '/settings/keys', `/files/${id}`, '/library', '/usage', '/docs', '/none']) {
    const policy = (await visitor.get(path)).headers.get('content-security-policy') ?? ''
    expect([path, /script-src ('none'|'nonce-[\w-]{22}');/.test(policy)]).toEqual([path, true])
  }
})

describe.skipIf(!hasBrowser)('in a browser', () => {
  test('a page and the docs run their own scripts, and none that was uploaded', async () => {
    const id = await upload('text/javascript')
    const browser = await openBrowser()
    try {
      const window = await openWindow(browser, service)
      const page = await window.newPage()
      await signInBy(page, 'author@example.org', goodPassword)
      await page.goto('/docs')
      await page.locator('details.operation').first().waitFor()
      for (const path of ['/docs', '/settings/keys']) {
        await page.goto(path)
        for (const source of [`/files/${id}/content`, '/assets/any/copy.js']) {
          // A page's markup that somebody else could write.
          const outcome = await page.evaluate(`new Promise((resolve) => {
            const script = document.createElement('script')
            script.src = '${source}'
            script.onload = () => resolve('ran')
            script.onerror = () => resolve('blocked')
            document.body.append(script)
          })`)
          expect([path, source, outcome]).toEqual([path, source, 'blocked'])
        }
        expect(await page.title()).not.toBe('owned')
      }
    } finally {
      await closeWindows(browser)
    }
  })
})
