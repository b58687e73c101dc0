import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.ts'
import { createKey } from '../../../src/accounts/keys/keys.ts'
import { grantCredits } from '../../../src/billing/account-credits.ts'
import { creditsText, parseCredits } from '../../../src/billing/credits.ts'
import { withTx } from '../../../src/db/client.ts'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { isShort } from '../../support/full.ts'
import { reply } from '../../support/upstream-scripts.ts'
import { makeAccount, testPeppers } from '../../support/world/accounts.ts'
import { call, question } from '../../support/world/requests.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { inAllLooks, weightOf } from './quality.ts'

const formula = '=HYPERLINK("https://example.org","open, please")'

describe.skipIf(!hasBrowser)('usage, in a browser', () => {
  let world: BrowserWorld
  let { db, service, browser } = {} as BrowserWorld
  let page: Page
  let owner: Account
  let key: string

  beforeAll(async () => {
    world = await openWorld({ browser: true, script: reply('A lamp does not argue.'), ledger: 'planted' })
    ;({ db, service, browser } = world)
    owner = await makeAccount(db.database, 'pro')
    key = await namedKey(owner, formula)
    const other = await namedKey(owner, '<i>Website</i> אתר')
    const stranger = await makeAccount(db.database, 'pro')
    await ask(await namedKey(stranger, 'of a stranger'), 1)
    await ask(key, 24)
    await ask(other, 3)
    page = await (await openWindow(browser, service)).newPage()
    await signInBy(page, owner.email, 'correct horse battery')
  })
  afterAll(() => world?.close())

  async function namedKey(account: Account, name: string): Promise<string> {
    const input = { name, reach: { kind: 'dedicated' } as const }
    return (await withTx(db.database, 'system', (tx) => createKey(tx, testPeppers, account.id, input))).key
  }

  async function ask(withKey: string, times: number): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      const answer = await call(
        service,
        withKey,
        'POST',
        '/v1/chat/completions',
        question('What of the lamp?'),
      )
      // The status of a late reply comes before its charge.
      await answer.text()
      expect(answer.status).toBe(200)
    }
  }

  /** What the ledger has charged the owner, in micro-credits. */
  async function ledgerSum(): Promise<bigint> {
    const { rows } = await db.database.systemPool.query<{ sum: string }>(
      `select coalesce(-sum(allowance_micros + granted_micros), 0)::text as sum from ledger where kind = 'charge' and account_id = $1`,
      [owner.id],
    )
    return BigInt(rows[0]?.sum ?? -1)
  }

  /** The exact amounts in the elements; the page shows rounded ones. */
  const amounts = (within: Locator) =>
    within.locator('data').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('value') ?? ''))

  type Row = { id: string; turns: number; total_tokens: number; credits: string }

  test('what the page shows is what the ledger has and what the API says', async () => {
    await page.goto('/usage')
    const charged = page.locator('.sums div').filter({ hasText: 'Credits spent' }).locator('dd')
    expect(await amounts(charged)).toEqual([creditsText(await ledgerSum())])
    for (const group of ['model', 'key', 'project'] as const) {
      const answer = await call(service, key, 'GET', `/v1/usage?group_by=${group}`)
      // A bound key sees its own project's share only.
      const [mine] = ((await answer.json()) as { data: Row[] }).data
      if (!mine) throw new Error(`the API has no usage by ${group}`)
      const table = page.locator('.breakdown section').filter({ hasText: `By ${group}` })
      const first = table.locator('tbody tr').first()
      const [, turns, tokens] = await first.locator('td').allTextContents()
      if (group === 'model') expect(turns).toBe('27')
      else
        expect([...(await amounts(first)), turns, tokens]).toEqual([
          mine.credits,
          String(mine.turns),
          mine.total_tokens.toLocaleString('en'),
        ])
    }
    await page.getByText('Show as a table').click()
    const today = new Date().toISOString().slice(0, 10)
    const day = page.locator('.days tbody tr').filter({ hasText: today })
    expect(await amounts(day)).toEqual([creditsText(await ledgerSum())])
    expect(await page.getByRole('img', { name: 'Credits per day' }).count()).toBe(1)
    expect(await page.getByText('of a stranger').count()).toBe(0)
    expect(await page.locator('main i').count()).toBe(0)
    expect(await page.getByText('<i>Website</i> אתר').count()).toBeGreaterThan(0)
  })

  test('what is left is the balance, by kind of credit', async () => {
    await withTx(db.database, 'system', (tx) => grantCredits(tx, owner.id, 12_345_678n))
    await page.goto('/usage')
    const info = (await (await call(service, key, 'GET', '/v1/key')).json()) as {
      credits: { available: string }
    }
    expect(await amounts(page.locator('.figure'))).toEqual([info.credits.available])
    expect(await page.locator('.figure [title]').getAttribute('title')).toBe(
      `exactly ${info.credits.available} credits`,
    )
    const [allowance, granted] = await page.locator('.balance tbody tr').allTextContents()
    expect(allowance).toContain('Monthly allowance')
    expect(allowance).toMatch(/\w+ 1, \d{4}$/)
    expect(granted).toContain('Granted credits')
    expect(granted).toContain('12.345678')
    expect(granted).toContain('does not expire')
  })

  test('the table of turns is paged, and the turns of all pages are those of the ledger', async () => {
    await page.goto('/usage?period=7')
    const rows = page.getByRole('region', { name: 'Questions' }).locator('tbody tr')
    expect(await rows.count()).toBe(25)
    const shown = async () => (await amounts(rows)).map((amount) => parseCredits(amount) ?? -1n)
    let sum = (await shown()).reduce((a, b) => a + b, 0n)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByRole('link', { name: 'Newest' }).waitFor()
    expect(await rows.count()).toBe(2)
    sum += (await shown()).reduce((a, b) => a + b, 0n)
    expect(sum).toBe(await ledgerSum())
    expect(await page.locator('a[href^="/runs/run_"]').count()).toBe(2)
  })

  test('on a phone each row is a card, with the name of its column before each cell', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/usage')
    const names = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.balance tbody td')].map((cell) => getComputedStyle(cell, '::before').content)`,
    )
    expect(names.slice(0, 2)).toEqual(['"Left"', '"Until"'])
    // Screen readers still find a table.
    expect(await page.getByRole('table').count()).toBeGreaterThan(0)
    await page.setViewportSize({ width: 1_280, height: 860 })
  })

  test('the CSV file adds up to the ledger, and no cell of it is a formula', async () => {
    await page.goto('/usage')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$/)
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    const [header, ...records] = parseCsv(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    )
    const column = (name: string) => records.map((record) => record[header?.indexOf(name) ?? -1] ?? '')
    expect(records.length).toBe(27)
    expect(column('credits').reduce((sum, text) => sum + (parseCredits(text) ?? -1n), 0n)).toBe(
      await ledgerSum(),
    )
    expect(new Set(column('key_name'))).toEqual(new Set([`'${formula}`, '<i>Website</i> אתר']))
    expect(records.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
  })

  test('the limits say how near they are, and stay closed while none is near', async () => {
    await page.goto('/usage')
    expect(await page.getByRole('heading', { name: 'Near a limit' }).count()).toBe(0)
    const open = () => page.getByText('All limits of the plan').click()
    await open()
    const state = (name: string) =>
      page
        .locator('.limits li')
        .filter({ has: page.getByRole('heading', { name, exact: true }) })
        .locator('.state')
    const before = Number(/^\d+/.exec((await state('Requests per minute').textContent()) ?? '')?.[0])
    await call(service, key, 'GET', '/v1/key')
    await page.reload()
    await open()
    // The call and the page itself. The minute may have turned in between.
    expect([before + 2, 1, 2]).toContain(
      Number(/^\d+/.exec((await state('Requests per minute').textContent()) ?? '')?.[0]),
    )
    expect(await state('Concurrent turns').textContent()).toBe('0 of 32 now')
    expect(await state('Storage').textContent()).toBe('0 bytes of 10 GB')
  })

  test.skipIf(isShort)('the page is readable in every look, small, and explains an empty table', async () => {
    const someone = await makeAccount(db.database, 'basic')
    const fresh = await (await openWindow(browser, service, { scripts: false })).newPage()
    await signInBy(fresh, someone.email, 'correct horse battery')
    await fresh.goto('/usage')
    await fresh.getByText('No charges in this period').waitFor()
    // Rows as the ledger has them, over many days, for the picture.
    await db.database.systemPool.query(
      `insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros, facts, created_at)
       select $1, 'run_picture_' || n, 'charge', 0, -((3 + (n * 7919) % 11) * 400000 + n), jsonb_build_object(
         'model', 'service', 'prompt_tokens', 1000 + (n * 37) % 900, 'completion_tokens', 200 + (n * 53) % 400),
         now() - make_interval(days => (n * n) % 28)
       from generate_series(1, 60) n`,
      [owner.id],
    )
    expect(await weightOf(page, '/usage')).toBeLessThan(200_000)
    expect(await inAllLooks(page, 'usage')).toEqual([])
    await page.goto('/usage?period=90')
    expect(await page.locator('.chart').first().locator('.bar').count()).toBe(90)
  })
})

/** RFC 4180, strictly. */
function parseCsv(text: string): string[][] {
  const records: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  let record: string[] = []
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, quoted, plain, end] = cell.exec(text) ?? []
    if (end === undefined) throw new Error(`no CSV at ${at}: ${text.slice(at, at + 40)}`)
    record.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end !== '\r\n') continue
    records.push(record)
    record = []
  }
  return records
}
