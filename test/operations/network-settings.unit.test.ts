import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

const refusal = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'accepted'
}

test.each([
  ['', false],
  ['false', false],
  ['1', 1],
  ['16', 16],
  ['127.0.0.1', ['127.0.0.1']],
  ['10.0.0.0/8, fd00::/8,::1', ['10.0.0.0/8', 'fd00::/8', '::1']],
  ['loopback,uniquelocal', ['loopback', 'uniquelocal']],
])('TRUST_PROXY "%s" is read as %j', (text, trusted) => {
  expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(trusted)
})

test('TRUST_PROXY=true is refused, and the message names what to write instead', () => {
  const message = refusal({ TRUST_PROXY: 'true' })
  expect(message).toContain('The setting TRUST_PROXY is wrong')
  expect(message).toContain('number of proxies')
  expect(message).toContain('127.0.0.1')
})

test.each([
  'yes',
  '0',
  '17',
  '-1',
  '1.5',
  '10.1',
  '0.0.0.0/0',
  '127.0.0.1,::/0',
  '300.0.0.1',
  '10.0.0.0/33',
  'proxy.example',
  '::/129',
  ',',
])('TRUST_PROXY "%s" is refused', (text) => {
  expect(refusal({ TRUST_PROXY: text })).toContain('TRUST_PROXY')
})

test('CORS_ORIGINS is a list of origins, and none by default', () => {
  expect(readConfig({}).corsOrigins).toEqual([])
  expect(readConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }).corsOrigins).toEqual([
    'https://a.example',
    'http://localhost:5173',
  ])
})

test.each([
  '*',
  'null',
  'a.example',
  'https://a.example/',
  'https://A.example',
  'https://a.example:443',
  'file://x',
])('CORS_ORIGINS "%s" is refused by name', (text) => {
  expect(refusal({ CORS_ORIGINS: text })).toContain(`"${text}" is not an origin`)
})
