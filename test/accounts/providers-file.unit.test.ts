import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readProvidersFile } from '../../src/accounts/providers/providers-file.ts'
import { readConfig } from '../../src/config.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()
const env: Record<string, string> = { SCHOOL_SECRET: 'not for any message' }

async function read(text: string) {
  const file = path.join(folder, 'sign-in.yaml')
  await writeFile(file, text)
  return readProvidersFile({ file, variable: (name) => env[name] }, ['free', 'pro'])
}

const row = { id: 'school', label: 'School', issuer: 'https://id.school.example', client_id: 'lamps' }
const file = (...rows: object[]) => JSON.stringify({ providers: rows })

test('a row needs four fields, and its secret comes from a variable or the file that one names', async () => {
  const [short] = await read(file(row))
  expect(short).toMatchObject({ clientSecret: undefined, scopes: ['openid', 'email', 'profile'] })
  expect(short?.rules).toMatchObject({ createAccounts: 'as_signup', trustEmail: false })
  expect((await read(file({ ...row, secret_env: 'SCHOOL_SECRET' })))[0]?.clientSecret).toBe(
    'not for any message',
  )
  env['OTHER_FILE'] = path.join(folder, 'secret')
  await writeFile(env['OTHER_FILE'], 'from a file\n')
  expect((await read(file({ ...row, secret_env: 'OTHER' })))[0]?.clientSecret).toBe('from a file')
})

test('YAML is read like JSON', async () => {
  const text = `
providers:
  - id: school
    label: School
    issuer: https://id.school.example
    client_id: lamps
    plans: { claim: tier, values: { gold: pro } }
`
  expect((await read(text))[0]?.rules.plans).toEqual({ claim: 'tier', values: { gold: 'pro' } })
})

const wrong: readonly [what: string, text: string, message: RegExp][] = [
  [
    'an issuer without TLS',
    file({ ...row, issuer: 'http://id.school.example' }),
    /providers.0.issuer: .*https/,
  ],
  [
    'an issuer that only begins like loopback',
    file({ ...row, issuer: 'http://localhost.evil.example' }),
    /https/,
  ],
  ['two rows with one id', file(row, { ...row, issuer: 'https://other.example' }), /another id/],
  ['two rows with one issuer', file(row, { ...row, id: 'other' }), /another issuer/],
  ['an unknown field', file({ ...row, client_secret: 'hidden' }), /providers.0/],
  [
    'an unknown plan',
    file({ ...row, plans: { claim: 'c', values: { a: 'gold' } } }),
    /no plan "gold".*free, pro/,
  ],
  ['scopes without openid', file({ ...row, scopes: ['email'] }), /openid/],
  [
    'a secret that is not set',
    file({ ...row, secret_env: 'MISSING' }),
    /secret_env: neither MISSING nor MISSING_FILE/,
  ],
  ['no YAML', 'providers: [', /line 1 is not YAML/],
]

test.each(wrong)('%s is refused with the field and where to read on', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message)
  await expect(read(text)).rejects.toThrow(/^SIGN_IN_FILE .*docs\/sign-in\.md\.$/s)
  await expect(read(text)).rejects.not.toThrow(/hidden|not for any message/)
})

test('a setting that cannot work alone is refused with the missing one', () => {
  expect(() => readConfig({ SIGN_IN_FILE: 'x' })).toThrow(/APP_URL is not/)
  expect(() => readConfig({ SIGNUP_DOMAINS: 'school.example' })).toThrow(/SMTP_URL is not/)
})
