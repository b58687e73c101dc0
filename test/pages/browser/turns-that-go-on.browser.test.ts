import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { error, gate, reply } from '../../support/scripted-upstream.ts'
import { startSwitchedProxy } from '../../support/switched-proxy.ts'
import { useWorld } from '../../support/world/world.ts'
import { announced, ask, ended } from './conversation-page.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import { screenshot } from './screenshots.ts'

describe.skipIf(!hasBrowser)('turns that go on while people come and go', () => {
  const world = useWorld({ browser: true, library: gateBook })

  /** Runs and charges of the conversation that the page shows. */
  async function countsOf(page: Page): Promise<{ readonly runs: number; readonly charges: number }> {
    const session = /sess_\w+/.exec(page.url())?.[0] ?? ''
    return world.row(
      `select count(distinct r.id)::int as runs, count(t.run_id)::int as charges
       from runs r left join ledger t on t.run_id = r.id
       where r.session_id = $1`,
      session,
    )
  }

  test('a lost connection is said, and the page comes back to the same run', async () => {
    const { hostname, port } = new URL(world.service.url)
    const proxy = await startSwitchedProxy({ host: hostname, port: Number(port) })
    const { page, window } = await world.person({ url: `http://127.0.0.1:${proxy.port}` })
    const [first, second] = [gate(), gate()]
    world.upstream.enqueue(...readingTheGate(), [
      { text: 'Before the storm. ' },
      { waitFor: first.opened },
      { text: 'During the storm. ' },
      { waitFor: second.opened },
      { text: 'After the storm.' },
    ])
    await ask(page, 'Does it hold?')
    await page.getByText('Before the storm.').waitFor()
    await proxy.off()
    await page.getByText('Connection lost. Reconnecting').waitFor()
    expect((await page.locator('.draft').textContent())?.trim()).toBe('Before the storm.')
    await screenshot(page, 'conversation-lost')
    first.open()
    await proxy.on()
    await page.getByText('Before the storm. During the storm.').waitFor()
    second.open()
    await ended(page)
    expect(await page.locator('.answer').textContent()).toContain(
      'Before the storm. During the storm. After the storm.',
    )
    expect(await countsOf(page)).toEqual({ runs: 1, charges: 1 })
    await window.close()
    await proxy.close()
  })

  test.skipIf(isShort)(
    'a service restarted during a turn finishes it, and the page shows the answer',
    async () => {
      const first = await world.start()
      const { page, window } = await world.person({ url: first.url })
      world.upstream.enqueue(...readingTheGate(), [
        { text: 'Words that are lost, ' },
        { waitFor: gate().opened },
      ])
      await ask(page, 'Restarted?')
      await page.getByText('Words that are lost,').waitFor()
      world.upstream.enqueue(reply('Words that stay.'))
      await first.stop()
      const second = await world.start({ port: Number(new URL(first.url).port) })
      await ended(page)
      expect((await page.locator('.answer').textContent())?.trim()).toBe('Words that stay.')
      expect(await countsOf(page)).toEqual({ runs: 1, charges: 1 })
      await window.close()
      await second.stop()
    },
  )

  test.skipIf(isShort)('words of a step that another process began again are taken back', async () => {
    const { page, window } = await world.person()
    const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    let connections = 0
    await page.route('**/runs/*/live', (route) => {
      connections += 1
      const sent = [
        frame('blocks', { from: 0, blocks: ['<p>Kept.</p>', '<p>Void words</p>'] }),
        frame('blocks', { from: 1, blocks: ['<p>True words</p>'] }),
      ]
      const body =
        connections === 1 ? sent.join('') : frame('blocks', { from: 0, blocks: ['<p>Whole state</p>'] })
      return route.fulfill({ contentType: 'text/event-stream', body })
    })
    world.upstream.enqueue([{ waitFor: gate().opened }])
    await ask(page, 'Twice?')
    await page.locator('.draft').getByText('True words').waitFor()
    expect((await page.locator('.draft').textContent())?.trim()).toBe('Kept.True words')
    await page.locator('.draft').getByText('Whole state').waitFor()
    expect((await page.locator('.draft').textContent())?.trim()).toBe('Whole state')
    await page.unroute('**/runs/*/live')
    await page.reload()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped this answer.').waitFor()
    await window.close()
  })

  test.skipIf(isShort)('a reload midway goes on from the same run', async () => {
    const { page, leave } = await world.person()
    const held = gate()
    world.upstream.enqueue([{ text: 'One half, ' }, { waitFor: held.opened }, { text: 'other half.' }])
    await ask(page, 'Half?')
    await page.getByText('One half,').waitFor()
    await page.reload()
    await page.getByText('One half,').waitFor()
    await page.goto('/ask')
    await page.getByRole('link', { name: 'Half?' }).click()
    await page.getByText('One half,').waitFor()
    held.open()
    await ended(page)
    expect(await page.locator('.answer').textContent()).toContain('One half, other half.')
    expect(await countsOf(page)).toEqual({ runs: 1, charges: 1 })
    await leave()
  })

  test('stopping ends the turn with what it has said', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue([{ text: 'Much more could be' }, { waitFor: gate().opened }])
    await ask(page, 'Talk on')
    await page.getByText('Much more could be').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped this answer.').waitFor()
    expect(await page.locator('.answer').textContent()).toContain('Much more could be')
    await announced(page, 'The answer was stopped.')
    await screenshot(page, 'conversation-stopped')
    await leave()
  })

  test.skipIf(isShort)('a refused Stop says so, and the next one stops the turn', async () => {
    const { page, window } = await world.person()
    const held = gate()
    world.upstream.enqueue([
      { text: 'One ' },
      { waitFor: held.opened },
      { text: 'two' },
      { waitFor: gate().opened },
    ])
    await ask(page, 'Count')
    await page.getByText('One').waitFor()
    await page.route('**/cancel', (route) => route.fulfill({ status: 503, body: 'busy' }), { times: 1 })
    const stop = page.getByRole('button', { name: 'Stop' })
    await stop.click()
    await page.getByText('Not stopped: the service refused').waitFor()
    held.open()
    await page.getByText('One two').waitFor()
    expect(await page.getByRole('status').first().textContent()).toContain('Try again')
    await stop.click()
    await page.getByText('You stopped this answer.').waitFor()
    await window.close()
  })

  test.skipIf(isShort)('a Stop after signing out says so', async () => {
    const { page, window } = await world.person()
    const held = gate()
    world.upstream.enqueue([{ text: 'On ' }, { waitFor: held.opened }])
    await ask(page, 'Signed out?')
    await page.getByText('On', { exact: true }).waitFor()
    await window.clearCookies()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Not stopped: you are signed out').waitFor()
    held.open()
    await window.close()
  })

  test('a turn that fails says so in words, costs nothing and can be tried again', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue(error(400, 'no such model here'))
    await ask(page, 'Will it fail?')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe(
      'The answer failed. It cost nothing. The language model could not be reached, or it broke off. Try again in a moment.',
    )
    expect(await page.locator('main').textContent()).not.toContain('no such model here')
    await announced(page, 'The answer failed.')
    await screenshot(page, 'conversation-failed')
    world.upstream.enqueue(reply('It works now.'))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('It works now.').waitFor()
    expect(await page.locator('.question').allTextContents()).toEqual(['Will it fail?', 'Will it fail?'])
    await leave()
  })

  test.skipIf(isShort)('an end that came before its page is announced when the page is there', async () => {
    const { page, leave } = await world.person()
    world.upstream.enqueue(reply('A short answer.'))
    await ask(page, 'Will it be short?')
    await ended(page)
    await page.reload()
    await announced(page, 'The answer is complete.')
    await leave()
  })

  test('a further question joins the conversation and waits for a running turn', async () => {
    const { page, leave } = await world.person()
    const held = gate()
    world.upstream.enqueue(
      [{ text: 'Light, ' }, { waitFor: held.opened }, { text: 'said the lamp.' }],
      reply('Both of us.'),
    )
    await ask(page, 'Who speaks?')
    await page.getByText('Light,').waitFor()
    await page.getByLabel('Your question').fill('Who else?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('Waiting for your previous question').waitFor()
    await screenshot(page, 'conversation-queued')
    held.open()
    await page.getByText('Both of us.').waitFor()
    await ended(page)
    expect(await page.locator('article.turn').count()).toBe(2)
    const last = world.upstream.requests.at(-1)?.body.messages ?? []
    expect(last.map(({ content }) => content).slice(-3)).toEqual([
      'Who speaks?',
      'Light, said the lamp.',
      'Who else?',
    ])
    await leave()
  })

  test.skipIf(isShort)("without scripts a running turn's page reloads itself, and sources open", async () => {
    const { page, window } = await world.person({ scripts: false })
    const held = gate()
    world.upstream.enqueue(...readingTheGate(), [
      { text: 'Slowly: ' },
      { waitFor: held.opened },
      { text: '“A small lamp that is carried into a dark room” [S2].' },
    ])
    await ask(page, 'And without scripts?')
    await page.getByText('Slowly:').waitFor()
    held.open()
    await page.getByRole('heading', { name: 'Sources' }).waitFor()
    await page.getByRole('link', { name: 'Source 1' }).click()
    expect(await page.locator('.passage mark').first().isVisible()).toBe(true)
    world.upstream.enqueue([{ text: 'On and on' }, { waitFor: gate().opened }])
    await ask(page, 'Once more?')
    await page.getByText('On and on').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped this answer.').waitFor()
    await window.close()
  })
})
