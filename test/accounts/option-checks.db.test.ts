import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
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
