import { expect, test } from 'vitest'
import { Circuit } from '../../../src/circuit/circuit.ts'
import { ConfigError, readConfig } from '../../../src/config.ts'
import { askedRefs } from '../../../src/sources/fallback/asked-refs.ts'

test('texts on demand are off by default', () => {
  expect(readConfig({}).fallback).toBeUndefined()
  expect(
    readConfig({ LIBRARY_FALLBACK: 'off', LIBRARY_FALLBACK_URL: 'http://mirror' }).fallback,
  ).toBeUndefined()
})

test('LIBRARY_FALLBACK=sefaria asks sefaria.org or a mirror, and allows no restricted licence', () => {
  const on = { LIBRARY_FALLBACK: 'sefaria' }
  expect(readConfig(on).fallback).toEqual({ baseUrl: 'https://www.sefaria.org', licenses: [] })
  const changed = { LIBRARY_FALLBACK_URL: 'http://mirror/', LIBRARY_FALLBACK_LICENSES: 'CC-BY-NC, unknown' }
  expect(readConfig({ ...on, ...changed }).fallback).toEqual({
    baseUrl: 'http://mirror',
    licenses: ['cc-by-nc', 'unknown'],
  })
})

test.each([{ LIBRARY_FALLBACK: 'wikisource' }, { LIBRARY_FALLBACK_LICENSES: 'cc-by-nc, mine' }])(
  'the start refuses %o',
  (setting) => {
    expect(() => readConfig(setting)).toThrow(ConfigError)
  },
)

test.each([
  ['Tanya ch. 32', ['Tanya, Part I; Likkutei Amarim 32', 'Tanya 32']],
  ['תניא פרק ל״ב', ['Tanya, Part I; Likkutei Amarim 32', 'תניא פרק ל״ב']],
  ['Berakhot 5a:2', ['Berakhot 5a:2']],
  ['ברכות ה', ['Berakhot 5a']],
  ['תהילים קיט, פט', ['Psalms 119:89']],
  ['House Lamp 1:2-5', ['House Lamp 1:2']],
  ['House Lamp', []],
  ['12:3', []],
])('the publisher is asked for "%s" as %o', (written, asked) => {
  expect(askedRefs(written)).toEqual(asked)
})

test('a pause opens after a failure and ends with time', () => {
  const circuit = new Circuit(0)
  expect(circuit.isOpen).toBe(false)
  circuit.failed()
  expect(circuit.isOpen).toBe(false)
  const long = new Circuit(60_000)
  long.failed()
  expect(long.isOpen).toBe(true)
})
