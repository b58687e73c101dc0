import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { resolveRef } from '../../../src/sources/refs/ref-lookup.ts'
import { useDatabase } from '../../support/database.ts'
import { importLines } from '../../support/library-lines.ts'

type Reading = {
  readonly place: object | null
  readonly refs: readonly string[]
  readonly names: readonly string[]
  readonly version: string
}
let [before, after]: Reading[] = []

const db = useDatabase()
beforeAll(async () => {
  const line = { license: 'CC0', category: ['Chasidut'] }
  const levi = { work: 'Kedushat Levi', he_title: 'קדושת לוי', ref: 'Kedushat Levi 3' }
  await importLines(db.database, [
    { ...line, ...levi, en: 'A man is to serve with joy.' },
    { ...line, work: 'Notes', ref: 'Notes 1', en: 'As the book Kedushas Levi has it.' },
    { ...line, work: 'Notes', ref: 'Notes 2', en: 'As the book of another has it.' },
  ])
  // Processes of their own: the tables are read once.
  const program = fileURLToPath(new URL('../../support/new-spelling.ts', import.meta.url))
  const read = async (...amended: string[]) => {
    const args = [program, db.url, 'Levitical Sanctities', ...amended]
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as Reading
  }
  ;[before, after] = await Promise.all([read(), read('yes')])
})

test('a ref in a new spelling of one row leads to the passage', async () => {
  expect(after?.place).toEqual(await resolveRef(db.database.system, 'Kedushat Levi 3'))
  expect(before?.place).toBeNull()
})

test('a search in a new spelling of one row finds texts with another one', () => {
  expect(after?.refs).toContain('Notes 1')
  expect(after?.refs).not.toContain('Notes 2')
  expect(before?.refs).not.toContain('Notes 1')
})

test('a new spelling of one row names the work where the library lacks it', () => {
  expect(after?.names).toContain('Kedushat Levi')
  expect(before?.names).toEqual([])
})

test('a new spelling changes the version of the index', () => {
  expect(after?.version).not.toBe(before?.version)
})
