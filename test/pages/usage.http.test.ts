import { beforeAll, expect, test } from 'vitest'
import type { Account } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { grantCredits } from '../../src/billing/account-credits.ts'
import { creditsText, parseCredits } from '../../src/billing/credits.ts'
import { withTx } from '../../src/db/client.ts'
import { rowsIn, wordsIn } from '../support/page-text.ts'
import { reply } from '../support/upstream-scripts.ts'
import { openVisitor, type TestVisitor } from '../support/visitor.ts'
import { makeAccount, testPeppers } from '../support/world/accounts.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const formula = '=HYPERLINK("https://example.org","open, please")'

let visitor: TestVisitor
let owner: Account
let key: string

const world = useWorld({ script: reply('A lamp does not argue.') })
beforeAll(async () => {
  owner = await makeAccount(world.db.database, 'pro')
  key = await namedKey(owner, formula)
  await ask(await namedKey(await makeAccount(world.db.database, 'pro'), 'of a stranger'), 1)
  await ask(key, 24)
  await ask(await namedKey(owner, '<i>Website</i> אתר'), 3)
  visitor = openVisitor(world.service)
  await visitor.post('/signin', { email: owner.email, password: 'correct horse battery' })
})

async function namedKey(account: Account, name: string): Promise<string> {
  const input = { name, reach: { kind: 'dedicated' } as const }
  const make = withTx(world.db.database, 'system', (tx) => createKey(tx, testPeppers, account.id, input))
  return (await make).key
}

async function ask(withKey: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const answer = await call(world.service, withKey, 'POST', '/v1/chat/completions', question('The lamp?'))
    // The status of a late reply comes before its charge.
    await answer.text()
    expect(answer.status).toBe(200)
  }
}

/** What the ledger has charged the owner, in micro-credits. */
async function ledgerSum(): Promise<bigint> {
  const { sum } = await world.row<{ sum: string }>(
    `select coalesce(-sum(allowance_micros + granted_micros), 0)::text as sum from ledger where kind = 'charge' and account_id = $1`,
    owner.id,
  )
  return BigInt(sum)
}

const pageOf = async (path = '/usage') => (await visitor.get(path)).text()
/** The exact amounts in markup; the page shows rounded ones. */
const amountsIn = (markup: string | undefined) =>
  [...(markup ?? '').matchAll(/<data value="([^"]*)"/g)].map(([, amount = '']) => amount)
const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum + (parseCredits(amount) ?? -1n), 0n)

test('what the page shows is what the ledger has and what the API says', async () => {
  const page = await pageOf()
  const spent = creditsText(await ledgerSum())
  expect(amountsIn(/Credits spent<\/dt><dd>[\s\S]*?<\/dd>/.exec(page)?.[0])).toEqual([spent])
  for (const group of ['model', 'key', 'project'] as const) {
    // A bound key sees its own project's share only.
    const usage = await bodyOf(call(world.service, key, 'GET', `/v1/usage?group_by=${group}`))
    const [{ credits, turns, total_tokens }] = usage.data
    const [, table = ''] = page.split(`<h3>By ${group}</h3>`)
    const first = /<tbody><tr[\s\S]*?<\/tr>/.exec(table)?.[0]
    const cells = (first?.match(/<td[\s\S]*?<\/td>/g) ?? []).map(wordsIn)
    if (group === 'model') expect(cells[1]).toBe('27')
    else
      expect([...amountsIn(first), ...cells.slice(1)]).toEqual([
        ...[credits, String(turns), total_tokens.toLocaleString('en')],
      ])
  }
  const today = new Date().toISOString().slice(0, 10)
  const [day] = rowsIn(page, 'Days').filter((row) => row.includes(today))
  expect(amountsIn(day)).toEqual([spent])
  expect(page).not.toMatch(/of a stranger|<i>/)
  expect(page).toContain('&lt;i&gt;Website&lt;/i&gt; אתר')
})

test('what is left is the balance, by kind of credit', async () => {
  await withTx(world.db.database, 'system', (tx) => grantCredits(tx, owner.id, 12_345_678n))
  const page = await pageOf()
  const { credits } = await bodyOf(call(world.service, key, 'GET', '/v1/key'))
  const figure = /<p class="figure">[\s\S]*?<\/p>/.exec(page)?.[0]
  expect(amountsIn(figure)).toEqual([credits.available])
  expect(figure).toContain(`title="exactly ${credits.available} credits"`)
  const [allowance, granted] = (
    page.split('class="card balance"')[1]?.match(/<tr class[\s\S]*?<\/tr>/g) ?? []
  ).map(wordsIn)
  expect(allowance).toMatch(/^Monthly allowance .*\w+ 1, \d{4}$/)
  expect(granted).toMatch(/^Granted credits .*12\.345678.*does not expire$/)
})

test('the table of turns is paged, and the turns of all pages are those of the ledger', async () => {
  const newest = await pageOf('/usage?period=7')
  const older = /href="(\/usage\?[^"]*)"[^>]*>Older</.exec(newest)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const pages = [newest, await pageOf(older)].map((page) => rowsIn(page, 'Questions'))
  expect(pages.map(({ length }) => length)).toEqual([25, 2])
  expect(sumOf(pages.flat().flatMap(amountsIn))).toBe(await ledgerSum())
  expect(pages[1]?.every((row) => row.includes('href="/runs/run_'))).toBe(true)
})

test('the CSV file adds up to the ledger, and no cell of it is a formula', async () => {
  const path = /href="(\/usage\.csv[^"]*)"/.exec(await pageOf())?.[1]?.replaceAll('&amp;', '&') ?? ''
  const file = await visitor.get(path)
  expect(file.headers.get('content-disposition')).toMatch(
    /filename="usage-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv"/,
  )
  const bytes = Buffer.from(await file.arrayBuffer())
  const [header, ...records] = parseCsv(bytes.toString('utf8').replace(/^\ufeff/, ''))
  const column = (name: string) => records.map((record) => record[header?.indexOf(name) ?? -1] ?? '')
  expect(records).toHaveLength(27)
  expect(sumOf(column('credits'))).toBe(await ledgerSum())
  expect(new Set(column('key_name'))).toEqual(new Set([`'${formula}`, '<i>Website</i> אתר']))
  expect(records.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
})

test('the limits say how near they are', async () => {
  const page = await pageOf()
  expect(page).not.toContain('Near a limit')
  const stateOf = (name: string) => new RegExp(`<h3>${name}</h3><p class="state">([^<]*)<`).exec(page)?.[1]
  expect(stateOf('Requests per minute')).toMatch(/^[1-9]\d* of [\d,]+ in the current minute$/)
  expect(stateOf('Concurrent turns')).toBe('0 of 32 now')
  expect(wordsIn(stateOf('Storage') ?? '')).toBe('0 bytes of 10 GB')
})

test('a page without charges says so', async () => {
  const someone = await makeAccount(world.db.database, 'basic')
  const fresh = openVisitor(world.service)
  await fresh.post('/signin', { email: someone.email, password: 'correct horse battery' })
  expect(await (await fresh.get('/usage')).text()).toContain('No charges in this period')
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
