import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openWindow } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { gate } from '../../support/scripted-upstream.ts'
import { useWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'

/** What the page keeps beyond its memory: stores, databases, caches, cookies, and its own address. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const { localStorage, sessionStorage, indexedDB, caches, document, location, history } =
      globalThis as unknown as {
        localStorage: object
        sessionStorage: object
        indexedDB: { databases(): Promise<readonly object[]> }
        caches: { keys(): Promise<readonly string[]> }
        document: { cookie: string }
        location: { href: string }
        history: { state: unknown }
      }
    const databases = await indexedDB.databases()
    const names = await caches.keys()
    const { cookie } = document
    const address = [location.href, history.state]
    return JSON.stringify([localStorage, sessionStorage, databases, names, cookie, address])
  })

describe.skipIf(!hasBrowser)('the API reference, in a browser', () => {
  let page: Page

  const world = useWorld({ browser: true })
  beforeAll(async () => {
    page = await (await openWindow(world.browser, world.service)).newPage()
  })

  /** Opens an operation as a reader who has a link to it does. */
  async function open(id: string): Promise<Locator> {
    await page.goto('about:blank')
    await page.goto(`/docs#${id}`)
    const operation = page.locator(`#${id}`)
    await operation.locator('form.try button:enabled').first().waitFor()
    return operation
  }
  const keyField = () => page.getByLabel('Your key, to try the requests below')
  const raw = (operation: Locator) => operation.locator('[data-raw]')

  /** Sends the request of the open operation and returns the status that the page shows. */
  async function send(operation: Locator): Promise<string | null> {
    await operation.getByRole('button', { name: 'Send request' }).click()
    const state = operation.getByRole('status').filter({ hasText: / ms/ })
    await state.waitFor()
    return state.textContent()
  }

  test('a request is tried with the typed key, which is stored nowhere', async () => {
    const hosts = new Set<string>()
    const listen = (request: { url(): string }) => hosts.add(new URL(request.url()).host)
    page.on('request', listen)
    let operation = await open('getKey')
    await keyField().fill(world.key)
    expect(await send(operation)).toContain('200')
    expect(await raw(operation).textContent()).toContain(world.key.slice(-4))
    expect(await stored(page)).not.toContain(world.key)
    expect(JSON.stringify(await page.context().storageState())).not.toContain(world.key)
    expect([...hosts].filter((host) => host !== '')).toEqual([new URL(world.service.url).host])
    page.off('request', listen)
    await page.reload()
    operation = page.locator('#getKey')
    await operation.locator('form.try button:enabled').first().waitFor()
    expect(await page.content()).not.toContain(world.key)
    expect(await send(operation)).toContain('401')
  })

  test.skipIf(isShort)('a request without a key leads to the field for it', async () => {
    const operation = await open('getKey')
    expect(await send(operation)).toContain('401')
    await operation.getByRole('link', { name: 'Type your key' }).click()
    expect(await keyField().evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
  })

  test('the session of the pages answers no request of the API reference', async () => {
    const person = await world.person()
    const sent: Record<string, string>[] = []
    await person.page.goto('/docs#getKey')
    person.page.on('request', (request) => {
      // What the operation says comes from a page.
      if (request.url().includes('/v1/')) void request.allHeaders().then((headers) => sent.push(headers))
    })
    const operation = person.page.locator('#getKey')
    await operation.getByRole('button', { name: 'Send request' }).click()
    await operation.getByRole('status').filter({ hasText: '401' }).waitFor()
    await expect.poll(() => sent.length).toBe(1)
    expect(sent[0]).not.toHaveProperty('cookie')
    await person.window.close()
  })

  test('an answer is shown while it is streamed, and stops at the button', async () => {
    const held = [gate(), gate()]
    const operation = await open('postChatCompletions')
    const state = operation.getByRole('status')
    const text = operation.getByLabel('Text of the answer')
    await keyField().fill(world.key)
    await operation.getByLabel('Stream the reply').check()
    for (const { opened } of held) {
      world.upstream.enqueue([{ text: 'It grows' }, { waitFor: opened }, { text: ' to the end.' }])
      await operation.getByRole('button', { name: 'Send request' }).click()
      await expect.poll(() => text.textContent()).toBe('It grows')
      if (opened === held[1]?.opened) break
      held[0]?.open()
      await state.filter({ hasText: / ms/ }).waitFor()
      expect(await text.textContent()).toBe('It grows to the end.')
      expect(await raw(operation).textContent()).toContain('data: [DONE]')
    }
    const stop = operation.getByRole('button', { name: 'Stop' })
    await stop.focus()
    await page.keyboard.press('Enter')
    await state.filter({ hasText: 'Stopped.' }).waitFor()
    expect(await text.textContent()).toBe('It grows')
    expect(await stop.isVisible()).toBe(false)
    // The focus stays in the form when its button is no longer there.
    expect(
      await operation.getByRole('button', { name: 'Send request' }).and(page.locator(':focus')).count(),
    ).toBe(1)
    held[1]?.open()
  })

  test.skipIf(isShort)('a file is uploaded and saved, and a parameter stands in the address', async () => {
    const upload = await open('postFiles')
    await keyField().fill(world.key)
    await upload.locator('input[type=file]').setInputFiles({
      name: 'gate.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# The Gate'),
    })
    expect(await send(upload)).toContain('200')
    const { id } = JSON.parse((await raw(upload).textContent()) ?? '') as { id: string }
    const download = page.locator('#getFilesByIdContent')
    await page.locator('details.operation', { has: download }).locator('> summary').press('Enter')
    await download.getByLabel('id').fill(id)
    expect(await send(download)).toContain('200')
    const list = page.locator('#getFiles')
    await page.locator('details.operation', { has: list }).locator('> summary').press('Enter')
    await list.getByText('Optional parameters').press('Enter')
    await list.getByLabel('limit').fill('1')
    expect(await send(list)).toContain('200')
    expect(await raw(list).textContent()).toContain('"filename": "gate.md"')
  })

  test.skipIf(isShort)(
    'an open operation with its reply is readable in both languages and all looks',
    async () => {
      const window = await openWindow(world.browser, world.service)
      await watchShifts(window)
      const faults = await faultsInLooks(await window.newPage(), '/docs', everyLook, {
        name: 'docs-operation',
        async open(page) {
          await page.evaluate(`location.hash = 'postChatCompletions'`)
          const operation = page.locator('#postChatCompletions')
          await operation.locator('form.try button').first().click()
          await operation.getByRole('status').filter({ hasText: / ms/ }).waitFor()
          await operation.locator('details').evaluateAll((all) => {
            for (const details of all) details.setAttribute('open', '')
          })
        },
      })
      expect(faults).toEqual([])
      await window.close()
    },
  )

  test('an operation is found by its address or its title', async () => {
    await open('getKey')
    const shown = page.locator('details.operation:visible')
    const all = await shown.count()
    await page.keyboard.press('/')
    await page.keyboard.type('/v1/usage')
    await expect.poll(() => shown.count()).toBe(1)
    expect(await page.locator('#found').textContent()).toBe('1')
    await page.getByLabel('Find an operation').fill('cancel a RUN')
    await expect.poll(() => shown.locator('summary').first().textContent()).toContain('/cancel')
    await page.getByLabel('Find an operation').fill('')
    await expect.poll(() => shown.count()).toBe(all)
  })

  test.skipIf(isShort)('links of the version before lead to their operation', async () => {
    await page.goto('about:blank')
    await page.goto('/docs#/Account/getUsage')
    await page.locator('#getUsage').waitFor()
    expect(await page.evaluate('location.hash')).toBe('#getUsage')
  })
})
