import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../../../src/accounts/audit.ts'
import { createResetLink } from '../../../src/accounts/sign-in/password-reset.ts'
import { hasBrowser, openWindow, signInBy } from '../../support/browser.ts'
import { rows } from '../../support/full.ts'
import { makeAccount } from '../../support/world/accounts.ts'
import { bodyOf, call } from '../../support/world/requests.ts'
import { makeThings, ownerKey, type Things } from '../../support/world/things.ts'
import { useWorld } from '../../support/world/world.ts'
import { faultsInLooks, watchShifts } from './every-look.ts'
import { everyLook } from './looks.ts'

/** Pages of the frame's own; those of questions, the library and sheets have tests of their own. */
const visitorPages = rows(
  ['/', '/signin', '/signup', '/docs/getSourcesSearch', '/nowhere'],
  // The test of the API reference opens this one too.
  ['/signin?ended=form', '/docs', 'RESET', '/reset-password/used'],
)
const accountPages = [
  '/settings/keys',
  '/settings/keys/new',
  '/settings/account',
  '/settings/alerts',
  '/settings/alerts/webhooks/HOOK',
  '/settings/members',
  '/settings/second-factor',
  '/projects',
  '/projects/PROJECT',
  '/files/FILE',
  '/usage',
  '/operator',
  '/operator/accounts/new',
  '/operator/accounts/ACCOUNT',
  '/operator/audit',
  '/operator/runs?run=RUN',
  '/operator/library',
  '/operator/health',
]

describe.skipIf(!hasBrowser)('every page, in both languages and all looks', () => {
  let things: Things
  let hookId: string
  let resetPath: string
  const pages: Record<string, Page> = {}

  const world = useWorld({ browser: true, model: 'built-in', library: 'starter' })
  beforeAll(async () => {
    const system = world.db.database.systemPool
    const owner = await makeAccount(world.db.database, 'pro')
    // A name may be one word that does not fit a line.
    const email = `${'w'.repeat(64)}@${'w'.repeat(60)}.example.org`
    await system.query('update accounts set operator = true, email = $2 where id = $1', [owner.id, email])
    things = await makeThings(world.db, world.service, {
      accountId: owner.id,
      key: await ownerKey(world.db, owner.id),
    })
    const { system: executor } = world.db.database
    resetPath = (await createResetLink(executor, { actor: commandLine, accountId: owner.id })).path
    const hook = { url: 'https://hooks.example.org/answers', events: ['run.completed', 'credits.low'] }
    hookId = (await bodyOf(call(world.service, things.key, 'POST', '/v1/webhook_endpoints', hook))).id
    await call(world.service, things.key, 'POST', `/v1/webhook_endpoints/${hookId}/test`)
    await call(world.service, things.key, 'POST', '/v1/budgets', { period: 'month', credits: '250' })
    for (const named of ['projects.name', 'api_keys.name', 'files.name', 'sessions.name']) {
      const [table, column] = named.split('.')
      await system.query(`update ${table} set ${column} = $1`, [`${table}-${'w'.repeat(90)}`])
    }
    for (const who of ['visitor', 'owner']) {
      const window = await openWindow(world.browser, world.service)
      await watchShifts(window)
      pages[who] = await window.newPage()
    }
    await signInBy(pages['owner']!, email, 'correct horse battery')
  })

  const all = [
    ...visitorPages.map((path) => ['visitor', path] as const),
    ...accountPages.map((path) => ['owner', path] as const),
  ]

  test.each(all)('for a %s %s is readable, does not jump, and fits a phone', async (who, path) => {
    const page = pages[who]!
    const address = path
      .replace('PROJECT', things.projectId)
      .replace('FILE', things.fileId)
      .replace('ACCOUNT', things.accountId)
      .replace('RUN', things.runId)
      .replace('HOOK', hookId)
      .replace('RESET', resetPath)
    expect(await faultsInLooks(page, address, everyLook, { name: path })).toEqual([])
  })

  test('a refused password is readable, and fits a phone', async () => {
    const page = pages['owner']!
    const open = async () => {
      await page.locator('input[type=password][name=current]').first().fill('wrong password')
      await page.locator('input[type=password][name=next]').fill('four unrelated words here')
      await page.locator('input[type=password][name=next]').press('Enter')
      await page.locator('.card .notice.problem').waitFor()
    }
    const options = { open, name: 'password-refused' }
    expect(await faultsInLooks(page, '/settings/account', everyLook, options)).toEqual([])
  })

  test('the page for a form of another site is readable, and fits a phone', async () => {
    const page = pages['visitor']!
    const action = `${world.service.url}/projects`
    const open = async () => {
      await page.goto(`data:text/html,<form method=post action=${action}><button>Send</button></form>`)
      await page.getByRole('button').click()
      await page
        .getByText(/Not allowed|אי אפשר לעשות זאת/)
        .first()
        .waitFor()
    }
    expect(await faultsInLooks(page, '/', everyLook, { open, name: 'other-site' })).toEqual([])
  })
})
