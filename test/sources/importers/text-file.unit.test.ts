import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { linesOfFile, namingFile, readTextFile } from '../../../src/commands/imports/text-file.ts'
import { ServiceError } from '../../../src/errors.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()

const file = async (bytes: Uint8Array | string): Promise<string> => {
  const name = path.join(folder, `${Math.random()}.txt`)
  await writeFile(name, bytes)
  return name
}
const lines = async (name: string) => Array.fromAsync(linesOfFile(name))

/** "שלום" in the old encoding of Windows. */
const windows = Buffer.from([0xf9, 0xec, 0xe5, 0xed])

test('a file in another encoding is refused with its name, the line and the remedy', async () => {
  const name = await file(Buffer.concat([Buffer.from('one\ntwo\n'), windows, Buffer.from('\n')]))
  const message = `${name} is not UTF-8: line 3 has other bytes. Save it as UTF-8`
  await expect(readTextFile(name)).rejects.toThrow(message)
  await expect(lines(name)).rejects.toThrow(message)
  const utf16 = await file(Buffer.from('\ufeffשלום\n', 'utf16le'))
  await expect(readTextFile(utf16)).rejects.toThrow('is in UTF-16. Save it as UTF-8.')
  await expect(lines(utf16)).rejects.toThrow('is in UTF-16. Save it as UTF-8.')
})

test('a folder and a missing file are refused by name', async () => {
  for (const name of [folder, path.join(folder, 'missing')]) {
    await expect(readTextFile(name)).rejects.toThrow(`The file ${name} cannot be read.`)
    await expect(lines(name)).rejects.toThrow(`The file ${name} cannot be read.`)
  }
})

test('only line feeds end a line, also in a file of many chunks', async () => {
  const wide = 'ש'.repeat(50_000)
  const written = ['{"he":"a\u2028b\u2029c"}', '', wide, `${wide}\r`, 'last']
  expect(await lines(await file(written.join('\n')))).toEqual(written)
  expect(await lines(await file(`${written.join('\n')}\n`))).toEqual(written)
})

test('the errors of an import name the file', async () => {
  const failing = (message: string) =>
    namingFile('/a/book.md', () => Promise.reject(new ServiceError('invalid_value', message)))
  await expect(failing('The text has no title.')).rejects.toThrow('/a/book.md: The text has no title.')
  await expect(failing('The file /a/book.md is odd.')).rejects.toThrow(/^The file \/a\/book\.md is odd\.$/)
})
