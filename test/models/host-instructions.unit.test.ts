import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { agentPrompt } from '../../src/agent/prompts/prompts.ts'
import { ConfigError } from '../../src/config.ts'
import { readHostInstructions } from '../../src/models/host-instructions.ts'
import { openCatalogue } from '../../src/models/model-catalogue.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

async function read(content: string | Buffer) {
  const file = path.join(folder, 'host.md')
  await writeFile(file, content)
  return readHostInstructions(file)
}

test.each([
  ['a text alone', 'Be brief.\n', { text: 'Be brief.', replace: false }],
  [
    'a byte order mark and line ends of Windows',
    '\ufeff---\r\nreplace: true\r\n---\r\nA\r\nB\r\n',
    { text: 'A\nB', replace: true },
  ],
  ['`replace: false`', '---\nreplace: false\n---\nA', { text: 'A', replace: false }],
  ['no setting between the hyphens', '---\n---\nA', { text: 'A', replace: false }],
  ['a line of hyphens in the text', 'A\n---\nB', { text: 'A\n---\nB', replace: false }],
  ['20,000 characters', '😀'.repeat(20_000), { text: '😀'.repeat(20_000), replace: false }],
])('a file with %s is read', async (_, content, expected) => {
  expect(await read(content)).toEqual(expected)
})

test.each([
  ['20,001 characters', 'א'.repeat(20_001), 'it has 20,001 characters. Shorten it to at most 20,000.'],
  [
    'no text',
    '---\nreplace: true\n---\n \n',
    'it has no instructions. Write some, or remove INSTRUCTIONS_FILE.',
  ],
  ['another setting', '---\nreplaces: yes\n---\nA', 'Write `replace: true` there'],
  ['an open beginning', '---\nreplace: true\nA', 'its first lines must be'],
  ['another encoding', Buffer.from([0xf9, 0xec, 0xe5, 0xed]), 'it is not UTF-8. Save it as UTF-8 text.'],
])('a file with %s is refused with the setting and the remedy', async (_, content, reason) => {
  const refused = read(content)
  await expect(refused).rejects.toThrow(ConfigError)
  await expect(refused).rejects.toThrow('INSTRUCTIONS_FILE')
  await expect(refused).rejects.toThrow(reason)
})

test('a file that is missing, or a folder, is refused with the setting and the remedy', async () => {
  for (const file of [path.join(folder, 'absent.md'), folder])
    await expect(readHostInstructions(file)).rejects.toThrow(
      /^INSTRUCTIONS_FILE .* cannot be used: .* Name a text file that this user may read\.$/,
    )
})

test('with `replace` the host’s text stands in place of subject and tone, and what citations need stays', async () => {
  const file = path.join(folder, 'replace.md')
  await writeFile(file, '---\nreplace: true\n---\nYou teach Mussar.')
  const none = { baseUrl: undefined, apiKey: undefined, name: undefined, catalogueFile: undefined }
  const { models } = await openCatalogue({ ...none, instructionsFile: file })
  const { text } = models[0]?.prompt ?? { text: '' }
  expect(text).toMatch(/carries a mark such as \[S1\][\s\S]*emergency number[\s\S]*\n\nYou teach Mussar\.$/)
  expect(text).not.toContain('study companion')
  expect(agentPrompt().text).toContain('study companion')
})
