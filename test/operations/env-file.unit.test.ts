import { chmod, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, loadSettingsFile } from '../../src/config.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

test('a .env that is a folder is refused by its path', () => {
  expect(() => loadSettingsFile(folder)).toThrow(ConfigError)
  expect(() => loadSettingsFile(folder)).toThrow(`The settings in ${folder} cannot be read. Make it a file`)
})

// Root may read every file.
test.skipIf(userInfo().uid === 0)('a .env without read permission is refused with the reason', async () => {
  const file = path.join(folder, '.env')
  await writeFile(file, 'PORT=1')
  await chmod(file, 0o000)
  expect(() => loadSettingsFile(file)).toThrow(/cannot be read.*EACCES/)
})

test('no file is no error', () => {
  loadSettingsFile(path.join(folder, 'none'))
})
