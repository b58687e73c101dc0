import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { bundledServer } from '../../build/bundle.ts'

const folder = path.dirname(bundledServer)
let files: readonly string[]
let code: string

beforeAll(async () => {
  files = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  code = (await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))).join('\n')
})

test('the bundle has the file that each of its threads starts with', () => {
  const started = [...code.matchAll(/new URL\("\.\/([\w-]+\.js)", import\.meta\.url\)/g)].map(
    ([, name]) => name,
  )
  expect(started).toContain('sources-importers-sefaria-format-parse-files.js')
  expect(files).toEqual(expect.arrayContaining(started))
})

test('only models start from the sources', () => {
  const started = [...code.matchAll(/new URL\("\.\/([\w-]+\.ts)"/g)].map(([, name]) => name)
  // Reading the sources takes longer than the start of a bundled thread, and needs more memory.
  expect([...new Set(started)].sort()).toEqual(['local-model-thread.ts'])
})

test('the bundle has only ASCII letters, so that each takes one byte of memory', () => {
  expect(/[^\0-\x7f].*/.exec(code)?.[0]).toBeUndefined()
})
