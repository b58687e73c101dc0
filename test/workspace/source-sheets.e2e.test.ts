import { beforeAll, expect, test } from 'vitest'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { extractText } from '../../src/workspace/documents/extract.ts'
import { callTools, reply } from '../support/scripted-upstream.ts'
import { english, pointed } from '../support/sheets.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()
beforeAll(async () => {
  async function* lines() {
    const facts = { work: 'The Gate', license: 'CC0', source_url: 'https://example.org/gate' }
    yield JSON.stringify({ ...facts, ref: 'The Gate 1:1', he_ref: 'השער א׳:א׳', he: pointed, en: english })
  }
  await importJsonl(world.db.database, lines(), { allowLicenses: [] })
})

type Reply = {
  readonly x_service: { readonly files: readonly { readonly id: string; readonly filename: string }[] }
}

const download = (id: string) =>
  fetch(`${world.service.url}/v1/files/${id}/content`, { headers: { authorization: `Bearer ${world.key}` } })

test("a sheet that the model requests can be downloaded with the library's texts", async () => {
  const call = {
    name: 'make_source_sheet',
    arguments: {
      name: 'דף מקורות',
      title: 'On lamps',
      items: [{ ref: 'The Gate 1:1', heading: 'The lamp', note: '<script>alert(1)</script>' }],
      formats: ['docx', 'pdf', 'html', 'md'],
    },
  }
  world.upstream.enqueue(callTools([call]), reply('Here is your sheet.'))
  const response = await world.chat(ask('Make a sheet on lamps'))
  const { x_service: service } = (await response.json()) as Reply
  expect(service.files.map(({ filename }) => filename)).toEqual(
    ['docx', 'pdf', 'html', 'md'].map((ending) => `דף מקורות.${ending}`),
  )
  const [docx, pdf, html, markdown] = await Promise.all(service.files.map(({ id }) => download(id)))
  expect(pdf!.headers.get('content-type')).toBe('application/pdf')
  expect((await pdf!.text()).slice(0, 5)).toBe('%PDF-')
  expect(await markdown!.text()).toContain(pointed)
  expect(html!.headers.get('content-security-policy')).toContain('sandbox')
  expect(await html!.text()).not.toContain('<script')
  expect(docx!.headers.get('content-type')).toContain('wordprocessingml')
  const content = Buffer.from(await docx!.arrayBuffer())
  async function* pieces() {
    yield content
  }
  const { text } = await extractText('docx', pieces(), AbortSignal.timeout(120_000))
  for (const part of [pointed, english, 'The lamp', '<script>alert(1)</script>', 'CC0']) {
    expect(text).toContain(part)
  }
})
