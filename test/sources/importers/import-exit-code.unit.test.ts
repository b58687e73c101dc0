import { expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/commands/imports/import-options.ts'
import { licenseRefusal } from '../../../src/sources/library/licenses.ts'

const refused = [{ why: licenseRefusal('CC-BY-NC') }]

test.each([
  ['all was refused for its licence', { versions: 0, unchanged: 0, skipped: refused }, 1],
  ['all failed', { versions: 0, unchanged: 0, skipped: [], failed: ['x'] }, 1],
  ['part was refused', { versions: 1, unchanged: 0, skipped: refused }, 0],
  ['the rest is there unchanged', { versions: 0, unchanged: 1, skipped: refused }, 0],
  ['the file was empty', { versions: 0, unchanged: 0, skipped: [] }, 0],
] as const)('when %s an import exits with its code', (_, outcome, code) => {
  expect(exitCodeOf(outcome)).toBe(code)
})

test('a refused licence names the option that allows it', () => {
  expect(licenseRefusal('CC-BY-NC 4.0')).toContain('--allow-license cc-by-nc')
  expect(licenseRefusal('mystery')).toContain('--allow-license unknown')
})
