import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makePdf } from '../support/documents.ts'
import { reply } from '../support/upstream-scripts.ts'
import { ask } from '../support/world/requests.ts'
import { openWorld } from '../support/world/world.ts'

test('a service with OCR_COMMAND reads a scan in the body of a request', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'recognition-service-'))
  const world = await openWorld({ processes: true, script: () => reply('Read.') })
  onTestFinished(async () => {
    await world.close()
    await rm(folder, { recursive: true })
  })
  const command = path.join(folder, 'recognise')
  await writeFile(path.join(folder, 'text.pdf'), makePdf([['A lamp that was recognised']]))
  await writeFile(command, `#!/bin/sh\ncp '${folder}/text.pdf' "$2"\n`)
  await chmod(command, 0o755)
  const at = await world.start({ OCR_COMMAND: command })
  const file_data = `data:application/pdf;base64,${makePdf([[]]).toString('base64')}`
  const content = [
    { type: 'text', text: 'What does it say?' },
    { type: 'file', file: { filename: 'scan.pdf', file_data } },
  ]
  const response = await world.chat(ask('', { messages: [{ role: 'user', content }] }), { at })
  expect(response.status).toBe(200)
  expect(JSON.stringify(world.upstream.requests.at(-1)?.body.messages)).toContain(
    'A lamp that was recognised',
  )
})
