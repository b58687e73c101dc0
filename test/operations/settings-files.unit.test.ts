import { rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { readSettingsFile } from '../../src/settings-files/read-settings-file.ts'
import { watchSettingsFiles } from '../../src/settings-files/watch-settings-files.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()
let stop = async () => {}
const file = () => path.join(folder, 'x.json')
const lines = new PassThrough({ encoding: 'utf8' })
const log = pino({ base: null }, lines)
const logged = createInterface({ input: lines })[Symbol.asyncIterator]()
const nextLine = async () => JSON.parse((await logged.next()).value ?? 'null')

afterEach(() => stop())

const schema = z.strictObject({ rows: z.array(z.strictObject({ n: z.number() })) })
const failure = async (text: string) => {
  await writeFile(file(), text)
  return readSettingsFile('X_FILE', file(), schema).then(String, (error: Error) => error.message)
}

test('a wrong value is refused with its field and line', async () => {
  const text = '{\n "rows": [\n  {"n": 1},\n  {"n": "two"}\n ]\n}'
  expect(await failure(text)).toMatch(/^X_FILE .* cannot be used: rows\.1\.n: .* \(line 4\)$/)
  expect(await failure('{\n "rows": [\n  {}\n ]\n}')).toMatch(/rows\.0\.n: .* \(line 3\)$/)
})

test('a file that is not JSON is refused with the line, and without its text', async () => {
  const refused = await failure('{\n "api_key": "sk-secret",\n "rows": [}\n')
  expect(refused).toMatch(/line 3 is not JSON/)
  expect(refused).not.toContain('secret')
})

function watch(everyMs: number) {
  const taken: unknown[] = []
  const load = async () => {
    taken.push(await readSettingsFile('X_FILE', file(), schema))
  }
  const watching = watchSettingsFiles([{ setting: 'X_FILE', path: file(), load }], log, everyMs)
  stop = watching.stop
  return taken
}

test('a changed file is read again, and a wrong or missing one only logged', async () => {
  await writeFile(file(), '{"rows": []}')
  const taken = watch(5)
  const first = await nextLine()
  expect(first).toMatchObject({ level: 30, setting: 'X_FILE' })
  await writeFile(file(), '{"rows": [{"n": "wrong"}]}')
  expect(await nextLine()).toMatchObject({ level: 50, reason: expect.stringContaining('rows.0.n') })
  await rm(file())
  expect(await nextLine()).toMatchObject({ level: 50, reason: expect.stringContaining('ENOENT') })
  // As Kubernetes does it: another file under the name.
  await writeFile(`${file()}.new`, '{"rows": [{"n": 2}]}')
  await rename(`${file()}.new`, file())
  expect(await nextLine()).toMatchObject({ level: 30 })
  expect(taken).toEqual([{ rows: [] }, { rows: [{ n: 2 }] }])
})

test('SIGHUP has a file read at once, also if it has not changed', async () => {
  await writeFile(file(), '{"rows": [{"n": 3}]}')
  const taken = watch(3_600_000)
  process.emit('SIGHUP')
  expect(await nextLine()).toMatchObject({ level: 30 })
  process.emit('SIGHUP')
  expect(await nextLine()).toMatchObject({ level: 30 })
  expect(taken).toEqual([{ rows: [{ n: 3 }] }, { rows: [{ n: 3 }] }])
})
