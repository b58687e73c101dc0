import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { environment, misspeltSettings } from '../../src/environment.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

const refusal = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'accepted'
}

// A bucket has no host.
const urls = Object.keys(environment.shape).filter(
  (name) => /(_URL|ENDPOINT)$/.test(name) && name !== 'FILES_URL',
)

test.each(urls)('%s without a host or with a space is refused by name', (name) => {
  const schemes = {
    DATABASE_URL: 'postgres',
    MIGRATE_DATABASE_URL: 'postgres',
    LIBRARY_DATABASE_URL: 'postgres',
    SMTP_URL: 'smtp',
  }
  const scheme = (schemes as Readonly<Record<string, string>>)[name] ?? 'https'
  // `postgres://` alone names the server of this machine.
  const bare = scheme === 'postgres' ? [] : [`${scheme}://`]
  for (const text of [`${scheme}://a b/v1`, `${scheme}://host:port/`, ...bare]) {
    expect(refusal({ [name]: text }), text).toMatch(new RegExp(`^The setting ${name} is wrong: is no URL: `))
  }
})

test.each([
  'https://chat.example.org/pages',
  'https://chat.example.org/?a=1',
  'https://chat.example.org/#a',
  'https://user:word@chat.example.org',
])('APP_URL=%s is refused, because pages are at the root of a host', (text) => {
  expect(refusal({ APP_URL: text })).toBe(
    'The setting APP_URL is wrong: must be scheme and host without a path, such as https://chat.example.org.',
  )
})

test('APP_URL is read as browsers write an origin', () => {
  expect(readConfig({ APP_URL: 'https://Chat.Example.org:443/' }).appUrl).toBe('https://chat.example.org')
})

test.each([
  ['EMBEDDINGS_PRICE', 'cheap', 'must be a number from 0 to 1000 with at most three decimals.'],
  ['EMBEDDINGS_PRICE', '-1', 'must be a number from 0 to 1000 with at most three decimals.'],
  ['EMBEDDINGS_PRICE', '0.0001', 'must be a number from 0 to 1000 with at most three decimals.'],
  ['LOG_LEVEL', 'INFO', 'must be fatal, error, warn, info, debug, trace or silent.'],
  ['SIGNUP', 'yes', 'must be open, invited or closed.'],
  ['LIBRARY_FALLBACK', 'on', 'must be off or sefaria.'],
  ['LIBRARY_EXPORT', 'https://a b/', 'is no URL: check its host and port, or name a folder.'],
  ['FILES_URL', 'https://files', 'must be s3://bucket or s3://bucket/prefix.'],
  ['FILES_URL', 's3://', 'must be s3://bucket or s3://bucket/prefix.'],
  ['FILES_URL', 's3://files/a b', 'must be s3://bucket or s3://bucket/prefix.'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret', 'must be name=value, separated by commas, such as x-token=abc.'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%', 'must be name=value, separated by commas, such as x-token=abc.'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c', 'must be name=value, separated by commas, such as x-token=abc.'],
  ['PORT', '"3000"', 'must be a whole number from 0 to 65535. Remove the quotation marks around it.'],
])('%s=%s is refused with the accepted values', (name, text, sentence) => {
  expect(refusal({ [name]: text })).toBe(`The setting ${name} is wrong: ${sentence}`)
})

test('LIBRARY_EXPORT with a password is refused, and the password not repeated', () => {
  const sentence = refusal({ LIBRARY_EXPORT: 'https://me:secret@mirror.example.org/export' })
  expect(sentence).toContain('LIBRARY_EXPORT is wrong: must be an address without a user and a password')
  expect(sentence).not.toContain('secret')
})

test('headers for the receiver of traces are decoded', () => {
  const { otlpHeaders } = readConfig({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=, x-tenant = b',
  })
  expect(otlpHeaders).toEqual({ authorization: 'Bearer a=', 'x-tenant': 'b' })
})

test('spaces around a value do not count, and only spaces count as unset', () => {
  const blank = Object.fromEntries(Object.keys(environment.shape).map((name) => [name, '  ']))
  expect(readConfig(blank)).toEqual(readConfig({}))
  const url = 'postgres://u:p@127.0.0.1/chat'
  const read = readConfig({ DATABASE_URL: ` ${url}\n`, KEY_PEPPER: 'a pepper for tests', PORT: ' 80 ' })
  expect(read).toMatchObject({ databaseUrl: url, port: 80 })
})

test.each(['MODEL_NAME', 'MODEL_API_KEY'])('%s without MODEL_BASE_URL is refused', (name) => {
  expect(refusal({ [name]: 'x' })).toBe(
    `${name} is set, but MODEL_BASE_URL is not: the built-in model would answer. Set MODEL_BASE_URL, or remove ${name}.`,
  )
})

test.each([
  ['MODEL_BASE_ULR', 'MODEL_BASE_URL'],
  ['MODELBASE_URL', 'MODEL_BASE_URL'],
  ['KEY_PEPER_FILE', 'KEY_PEPPER_FILE'],
  ['LOGLEVEL', 'LOG_LEVEL'],
])('the name %s is told to be nearly %s', (name, nearest) => {
  expect(misspeltSettings([name])).toEqual([{ name, nearest }])
})

test('no usual variable of an environment is taken for a setting', () => {
  const usual =
    'HOME HOSTNAME PATH PWD SHELL TERM USER LANG TZ PORT HOST MODE NODE_ENV LOGNAME DATADIR_X'.split(' ')
  expect(misspeltSettings(usual)).toEqual([])
})

test('a secret comes from the file that NAME_FILE names, and from one place only', async () => {
  const file = path.join(folder, 'pepper')
  await writeFile(file, 'a pepper from a file\n')
  expect(readConfig({ KEY_PEPPER_FILE: file }).keyPepper).toBe('a pepper from a file')
  expect(() => readConfig({ KEY_PEPPER_FILE: file, KEY_PEPPER: 'another one' })).toThrow('Remove one.')
  expect(() => readConfig({ KEY_PEPPER_FILE: `${file}.none` })).toThrow('KEY_PEPPER_FILE')
})

test('one half of the access key of the bucket is refused', () => {
  const both = 'Set both FILES_ACCESS_KEY_ID and FILES_SECRET_ACCESS_KEY, or neither.'
  expect(refusal({ FILES_ACCESS_KEY_ID: 'a' })).toBe(both)
  expect(refusal({ FILES_SECRET_ACCESS_KEY: 'a' })).toBe(both)
})

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

test.each('yes 0 17 1.5 10.1 0.0.0.0/0 127.0.0.1,::/0 300.0.0.1 10.0.0.0/33 ::/129 ,'.split(' '))(
  'TRUST_PROXY "%s" is refused',
  (text) => {
    expect(refusal({ TRUST_PROXY: text })).toContain('TRUST_PROXY')
  },
)

test('CORS_ORIGINS is a list of origins, and none by default', () => {
  expect(readConfig({}).corsOrigins).toEqual([])
  expect(readConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }).corsOrigins).toEqual([
    'https://a.example',
    'http://localhost:5173',
  ])
})

test.each('* null a.example https://a.example/ https://A.example https://a.example:443 file://x'.split(' '))(
  'CORS_ORIGINS "%s" is refused by name',
  (text) => {
    expect(refusal({ CORS_ORIGINS: text })).toContain(`"${text}" is not an origin`)
  },
)
