import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, test, vi } from 'vitest'
import { bundledCommand } from '../../build/bundle.ts'
import { runLine } from '../support/command-line.ts'
import { useDatabase } from '../support/database.ts'
import { makeAccount, pepperText } from '../support/world/accounts.ts'

let email: string

const db = useDatabase()
beforeAll(async () => {
  email = (await makeAccount(db.database)).email
})

const nobody = 'nobody@example.org'
const keys = (...options: readonly string[]) => ['keys', 'create', '--account', 'EMAIL', ...options]

test.each([
  [keys('--model', 'zz'), '--model', 'service-lite'],
  [keys('--tools', 'zz'), '--tools', 'library'],
  [keys('--on-disconnect', 'zz'), '--on-disconnect', 'cancel'],
  [keys('--day-cap', 'zz'), '--day-cap', '2.5'],
  [keys('--scopes', 'zz'), '--scopes', 'chat:write'],
  [keys('--scopes', ' , '), '--scopes', 'chat:write'],
  [keys('--scopes', 'projects:write'), '--scopes', 'owner-wide'],
  [keys('--project', 'zz'), '--project', 'Check the id'],
  [keys('--project', 'zz', '--owner-wide'), '--project', 'one of them'],
  [keys('--expires', 'zz'), '--expires', 'ISO date'],
  [keys('--expires', '5'), '--expires', 'ISO date'],
  [keys('--expires', '2099-02-30'), '--expires', 'ISO date'],
  [keys('--expires', '2020-01-01'), '--expires', 'later'],
  [keys('--name', ' '), '--name', '1 to 100'],
  [['keys', 'create', '--account', nobody], '--account', 'Check the address'],
  [['keys', 'create', '--account', 'zz'], '--account', 'name@example.org'],
  [['keys', 'list', '--account', nobody], '--account', 'Check the address'],
  [['keys', 'change', 'zz'], '"zz"', 'keys list'],
  [['keys', 'revoke', 'zz'], '"zz"', 'keys list'],
  [['accounts', 'create', '--email', nobody, '--plan', 'zz'], '--plan', 'unlimited'],
  [['accounts', 'create', '--email', 'zz', '--plan', 'pro'], '--email', 'name@example.org'],
  [['accounts', 'create', '--email', nobody, '--plan', 'pro', '--password', 'a'], '--password', 'at least 8'],
  [
    ['accounts', 'create', '--email', nobody, '--plan', 'pro', '--password', 'password1'],
    '--password',
    'unrelated words',
  ],
  [['accounts', 'set-plan', '--email', 'EMAIL', '--plan', 'zz'], '--plan', 'unlimited'],
  [['accounts', 'set-plan', '--email', nobody, '--plan', 'pro'], '--email', 'Check the address'],
  [['accounts', 'audit', '--account', 'zz'], '--account', 'accounts list'],
  [['accounts', 'audit', '--account', 'zz', '--email', 'EMAIL'], '--account', 'one of them'],
  [['credits', 'grant', '--account', nobody, '--amount', '1'], '--account', 'Check the address'],
  [['credits', 'grant', '--account', 'EMAIL', '--amount', 'zz'], '--amount', 'number'],
] as const)('%j is refused with the option and the remedy', async (words, option, remedy) => {
  const refused = runLine(
    db,
    words.map((word) => (word === 'EMAIL' ? email : word)),
  )
  await expect(refused).rejects.toThrow(option)
  await expect(refused).rejects.toThrow(remedy)
})

test('a key gets a model that the service offers, and keeps one that it no longer offers', async () => {
  const create = [...keys('--json', '--model', 'service-lite')].map((word) =>
    word === 'EMAIL' ? email : word,
  )
  const { id, settings } = JSON.parse(await runLine(db, create))
  expect(settings).toBe('model=service-lite')
  await db.database.systemPool.query(`update api_keys set defaults = '{"model":"gone"}' where id = $1`, [id])
  const changed = JSON.parse(await runLine(db, ['keys', 'change', id, '--day-cap', '1', '--json']))
  expect(changed.settings).toBe('day_cap=1 model=gone')
})

test('a refused option ends the command with 1', async () => {
  const words = [bundledCommand, ...keys('--model', 'zz')].map((word) => (word === 'EMAIL' ? email : word))
  const env = { DATABASE_URL: db.url, KEY_PEPPER: pepperText }
  await expect(promisify(execFile)(process.execPath, words, { env })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('--model'),
  })
})

test('a listed name cannot command the terminal or reverse the line, and JSON keeps it', async () => {
  const name = 'a\u001b[2Jb\u009b2Jc\u202ed\u200f'
  await db.database.systemPool.query('update api_keys set name = $1', [name])
  const listed = await runLine(db, ['keys', 'list', '--account', email])
  expect(listed).toContain('name=a\\u001b[2Jb\\u009b2Jc\\u202ed\u200f ')
  const json = await runLine(db, ['keys', 'list', '--account', email, '--json'])
  for (const character of ['\u001b', '\u009b', '\u202e']) expect(json).not.toContain(character)
  expect(JSON.parse(json)[0].name).toBe(name)
})

const run = async (...words: readonly string[]) => JSON.parse(await runLine(db, [...words, '--json']))
const idsOf = async (...words: readonly string[]) => (await run(...words)).map(({ id }: { id: string }) => id)
const create = (...options: readonly string[]) => run('keys', 'create', '--account', email, ...options)

test('keys create sets limits and defaults, and keys list shows them', async () => {
  const made = await create('--day-cap', '2.5', '--tools', 'none', '--on-disconnect', 'cancel')
  expect(made.settings).toBe('day_cap=2.5 on_disconnect=cancel tools=none')
  const listed = await run('keys', 'list', '--account', email)
  expect(listed.find(({ id }: { id: string }) => id === made.id).settings).toBe(made.settings)
})

test('keys change changes what it is given, removes what is empty, and keeps the rest', async () => {
  const { id } = await create(...'--name Bot --day-cap 2 --month-cap 10 --model service-lite'.split(' '))
  const changed = await run('keys', 'change', id, '--day-cap', '', '--total-cap', '7')
  expect(changed).toMatchObject({ id, name: 'Bot', settings: 'month_cap=10 total_cap=7 model=service-lite' })
  expect(await run('keys', 'change', id, '--name', 'Other')).toMatchObject({
    name: 'Other',
    settings: changed.settings,
  })
})

test('keys change leaves an entry in the audit log, and refuses a revoked key', async () => {
  const { id } = await create()
  await run('keys', 'change', id, '--requests-per-minute', '5')
  const entries = `select details from audit_log where action = 'key.changed' order by id desc limit 1`
  const { rows } = await db.database.systemPool.query(entries)
  expect(rows).toEqual([{ details: { key: id } }])
  await run('keys', 'revoke', id)
  await expect(run('keys', 'change', id, '--name', 'x')).rejects.toMatchObject({ code: 'not_found' })
})

test.each(['accounts', 'keys'])('%s list has pages that hold each row once', async (group) => {
  for (let n = 0; n < 3; n += 1)
    await runLine(db, ['keys', 'create', '--account', (await makeAccount(db.database)).email])
  // Rows of one transaction have one time.
  await db.database.systemPool.query(
    `update accounts set created_at = now() where id > (select min(id) from accounts)`,
  )
  await db.database.systemPool.query(`update api_keys set created_at = now()`)
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const all = await idsOf(group, 'list')
    expect(said).not.toHaveBeenCalled()
    const read: string[] = []
    for (let after: string[] = []; ; ) {
      const page = await idsOf(group, 'list', '--limit', '1', ...after)
      read.push(...page)
      const { 0: line = '' } = said.mock.lastCall ?? []
      said.mockClear()
      if (!String(line).includes('--after')) break
      expect(line).toContain(`continue with --after '${page[0]}'`)
      after = ['--after', page[0] ?? '']
    }
    expect(read).toEqual(all)
    expect(read.length).toBeGreaterThan(3)
  } finally {
    said.mockRestore()
  }
})

test.each([
  ['accounts', ['--after', 'acc_zz'], '--after'],
  ['keys', ['--after', 'key_zz'], '--after'],
  ['sources', ['--limit', '0'], '--limit takes a whole number from 1 to 1000'],
])('%s list refuses %j', async (group, options, message) => {
  await expect(runLine(db, [group, 'list', ...options])).rejects.toThrow(message)
})
