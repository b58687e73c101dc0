import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import { withTx } from '../../../src/db/client.ts'
import { exportPlace } from '../../../src/sources/collections/export-place.ts'
import { runLibraryJobs } from '../../../src/sources/library-jobs/run-jobs.ts'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { collectionExport } from '../../support/collection-export.ts'
import { type FakeSefaria, startFakeSefaria } from '../../support/fake-sefaria.ts'
import { isShort } from '../../support/full.ts'
import { type BrowserWorld, openWorld } from '../../support/world/world.ts'
import { inAllLooks } from './quality.ts'

const password = 'correct horse battery'

describe.skipIf(!hasBrowser || isShort)('collections on the operator page, in a browser', () => {
  let world: BrowserWorld
  let fake: FakeSefaria
  let jobs: { stop(): Promise<void> }
  let page: Page

  beforeAll(async () => {
    fake = await startFakeSefaria()
    fake.files = collectionExport
    const place = exportPlace(fake.baseUrl)
    world = await openWorld({
      browser: true,
      model: 'built-in',
      web: { signUp: 'open', signUpPlan: 'free', libraryExport: place },
    })
    const operator = await withTx(world.db.database, 'system', (tx) =>
      createAccount(tx, builtInPlans, { email: 'ops@example.org', plan: 'pro', password, operator: true }),
    )
    jobs = runLibraryJobs(world.db.database, place, pino({ level: 'silent' }))
    page = await (await openWindow(world.browser, world.service)).newPage()
    await signInBy(page, operator.email, password)
  })
  afterAll(async () => {
    await jobs?.stop()
    await world?.close()
    await fake?.close()
  })

  const entry = (name: string) => page.locator(`[data-job="${name}"]`)

  const licenses = async () => {
    const { rows } = await world.db.database.systemPool.query(
      'select distinct license from versions order by 1',
    )
    return rows.map(({ license }) => license)
  }

  test('the page says what comes, and adds only what needs no permission', async () => {
    await page.goto('/operator/library')
    expect(await entry('tanya').textContent()).toContain('Not added.')
    expect(await inAllLooks(page, 'operator-collections')).toEqual([])
    await page.getByRole('link', { name: 'Add Breslov' }).click()
    const main = page.locator('main')
    await main.getByText('5 works, 6 files').waitFor()
    expect(await main.textContent()).toContain('Sefer HaMiddot is there as Sefer HaMidot')
    expect(await main.textContent()).toContain('CC-BY-NC: 1 file.')
    expect(await page.getByRole('checkbox').isChecked()).toBe(false)
    expect(await inAllLooks(page, 'operator-collection')).toEqual([])
    await page.getByRole('button', { name: 'Add to the library' }).click()
    await entry('breslov').getByText('5 versions of 5 works').waitFor()
    expect(await licenses()).toEqual(['CC-BY', 'CC0', 'Public Domain'])
  })

  test('a running import shows its progress and stops when it is cancelled', async () => {
    const release = fake.hold('Sichot HaRan/English')
    await world.db.database.systemPool.query("delete from library_state where key like 'sefaria-file:%'")
    await page.getByRole('link', { name: 'Add All of Chassidut' }).click()
    await page.getByRole('button', { name: 'Add to the library' }).click()
    await entry('chassidut').getByRole('progressbar').waitFor()
    await entry('chassidut')
      .getByText(/of 7 works/)
      .waitFor()
    await entry('chassidut').getByRole('button', { name: 'Cancel' }).click()
    await entry('chassidut').getByText('The last import was cancelled').waitFor()
    expect(await page.getByRole('link', { name: 'Go on All of Chassidut' }).count()).toBe(1)
    release()
  })

  test('a page that another operator cancelled from shows that the import is stopping', async () => {
    const { systemPool } = world.db.database
    await systemPool.query(
      `insert into library_jobs (id, collection, run_by, status, requested_by, lease_expires_at)
       values ('job_elsewhere', 'polish-schools', 'command', 'running', 'command line', now() + interval '1 hour')`,
    )
    await page.reload()
    const cancel = entry('polish-schools').getByRole('button', { name: 'Cancel' })
    await cancel.waitFor()
    await systemPool.query("update library_jobs set cancel_requested_at = now() where id = 'job_elsewhere'")
    await entry('polish-schools').getByRole('button', { name: 'Stopping…' }).waitFor()
    await systemPool.query("update library_jobs set lease_expires_at = now() where id = 'job_elsewhere'")
    await entry('polish-schools').getByText('The last import was cancelled').waitFor()
  })

  test('a publisher that does not answer is named, with what to do', async () => {
    const place = exportPlace('http://127.0.0.1:9')
    const other = await world.start({ web: { signUp: 'open', signUpPlan: 'free', libraryExport: place } })
    const window = await openWindow(world.browser, other)
    const away = await window.newPage()
    await signInBy(away, 'ops@example.org', password)
    await away.goto('/operator/library/collections/chabad')
    expect(await away.getByRole('alert').textContent()).toContain('http://127.0.0.1:9/books.json')
    expect(await away.locator('main').textContent()).toContain('sources add chabad FOLDER')
    expect(await inAllLooks(away, 'operator-collection-unreachable')).toEqual([])
    await window.close()
  })
})
