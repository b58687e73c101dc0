import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { useFolder } from '../../support/folder.ts'
import { useClientWorld } from '../support/conformance.ts'

const world = useClientWorld()
const folder = useFolder()

test('examples/types/service.d.mts is what openapi-typescript makes of the document', async () => {
  const { baseUrl } = await world().place()
  const document = await (await fetch(new URL('/openapi.json', baseUrl))).text()
  await writeFile(path.join(folder, 'openapi.json'), document)
  const program = path.join(import.meta.dirname, 'node_modules/openapi-typescript/bin/cli.js')
  const options = ['openapi.json', '--root-types', '--root-types-no-schema-prefix', '-o', 'service.d.mts']
  await promisify(execFile)(process.execPath, [program, ...options], { cwd: folder })
  const made = await readFile(path.join(folder, 'service.d.mts'), 'utf8')
  // `npm run test:clients -- types -u` overwrites the file.
  await expect(made).toMatchFileSnapshot('../../../examples/types/service.d.mts')
})
