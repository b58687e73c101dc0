import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { useWorld } from '../../support/world/world.ts'
import { ask, ended } from './conversation-page.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { gateBook, readingTheGate } from './gate-book.ts'
import type { Look } from './looks.ts'

const answer = `It says “A small lamp that is carried into a dark hall” [S2], and “the moon was full of silver fishes” [S3].

> נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל [S1]

| rank | deeds |
|---|---|
| first | many |`

/** Tests of the single pages look at them in English. */
const hebrewLooks: readonly Look[] = [
  ['he', 'phone', 'dark'],
  ['he', 'wide', 'dark'],
  ['he', 'phone', 'light'],
]

const click = (selector: string) => (page: Page) => page.locator(selector).first().click()

describe.skipIf(!hasBrowser)('pages with content, in Hebrew, wide and on a phone', () => {
  let page: Page
  const paths: Record<string, string> = {}

  const world = useWorld({ browser: true, library: gateBook })
  beforeAll(async () => {
    const person = await world.person()
    page = person.page
    await watchShifts(person.window)
    const send = async (path: string, form: Record<string, string>) => {
      const sent = { form, maxRedirects: 0, headers: { 'sec-fetch-site': 'same-origin' } }
      const response = await person.window.request.post(path, sent)
      return response.headers()['location'] ?? response.text()
    }
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await ask(page, 'What does the Gate say?')
    await ended(page)
    world.upstream.enqueue(...readingTheGate(), reply(answer))
    await page
      .getByLabel('Your question')
      .fill('And what does it say of the moon, the sun and all the lamps?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.locator('article.turn').nth(1).waitFor()
    await ended(page)
    paths['SESSION'] = new URL(page.url()).pathname
    await send(`${paths['SESSION']}/share`, {})
    paths['SHEET'] = new URL(await send('/sheets', { title: 'On lamps · על הנר' }), page.url()).pathname
    const sheet = paths['SHEET'].split('/').at(-1) ?? ''
    await send('/sheets/add', { ref: 'The Gate 1:1', sheet })
    await send(`${paths['SHEET']}/share`, {})
    await page.goto(paths['SESSION'])
    const pathOf = (address: string | null) => new URL(address ?? '', page.url()).pathname
    paths['SHARED'] = pathOf(await page.locator('#share-link').inputValue())
    await page.goto(paths['SHEET'])
    paths['PAPER'] = pathOf(await page.locator('#public-link').textContent())
    paths['RUN'] =
      `/runs/${(await world.row<{ id: string }>('select id from runs order by created_at limit 1')).id}`
    await page.goto('/settings/keys/new')
    await page.getByLabel('Name').fill('Website, back end')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'has been created' }).waitFor()
    paths['KEY'] = (
      await world.row<{ path: string }>(
        `select '/settings/keys/' || id as path from api_keys where name like 'Website%'`,
      )
    ).path
    await send('/library/marks', { ref: 'The Gate 1:1', bookmark: 'on', note: 'Compare.' })
  })

  const reader = `/library/read/${encodeURIComponent('The Gate 1:1')}`

  type Row = [name: string, path: string, open?: (page: Page) => Promise<void>]
  const always: readonly Row[] = [
    ['ask', '/ask'],
    ['answer', 'SESSION'],
    ['checks of an answer', 'SESSION', click('details.checks > summary')],
    ['shared answer', 'SHARED'],
    ['run', 'RUN'],
    ['panel of the reader', reader, click('a[data-passage]')],
    ['work', '/library/work/The%20Gate'],
    ['search', '/library/search?q=lamp'],
    ['own reading', '/library/mine'],
    ['list of sheets', '/sheets'],
    ['sheet', 'SHEET'],
    ['public sheet', 'PAPER'],
    ['question before a key is revoked', '/settings/keys', click('.row-actions button.danger')],
    ['key', 'KEY'],
  ]
  /** As others of the same page, with less on it. */
  const others: readonly Row[] = [
    ['passage of an answer', 'SESSION', click('details.source > summary')],
    ['reader', reader],
    ['preview of a sheet', 'SHEET/preview'],
    ['keys', '/settings/keys'],
  ]
  test.each<Row>(rows(always, others))(
    '%s: is readable, does not jump, and fits a phone',
    async (name, path, open) => {
      const address = path.replace(/^[A-Z]+/, (word) => paths[word] ?? word)
      const options = { name: `content-${name}`, ...(open && { open }) }
      expect(await faultsInLooks(page, address, hebrewLooks, options)).toEqual([])
    },
  )
})
