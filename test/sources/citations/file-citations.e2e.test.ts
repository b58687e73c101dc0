import { expect, test } from 'vitest'
import { makeDocx, makePdf, paragraph } from '../../support/documents.ts'
import { callTools, reply } from '../../support/scripted-upstream.ts'
import { ask, call } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld()

type Source = {
  readonly ref: string
  readonly work: string
  readonly license: string
  readonly url: string
  readonly text: string
  readonly verification: readonly { readonly result: string; readonly original?: string }[]
}
type Reply = {
  readonly choices: readonly { readonly message: { content: string; annotations?: readonly object[] } }[]
  readonly x_service: { readonly sources: readonly Source[]; readonly files: readonly object[] }
}

async function upload(name: string, content: Buffer | string): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(Buffer.from(content))]), name)
  const response = await fetch(`${world.service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}` },
    body: form,
  })
  return ((await response.json()) as { id: string }).id
}

/** The model calls these tools one after the other, and then says `answer`. */
async function turn(
  calls: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[],
  answer: string,
): Promise<Reply> {
  world.upstream.enqueue(...calls.map((call) => callTools([call])), reply(answer, { chunks: 20 }))
  const response = await world.chat(ask(`What do my files say? ${answer}`))
  expect(response.status).toBe(200)
  return (await response.json()) as Reply
}

const download = async (url: string) =>
  (await fetch(url, { headers: { authorization: `Bearer ${world.key}` } })).text()

test('an uploaded document is cited and verified like a source', async () => {
  const lines = ['נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ.', 'A second thought about patience.']
  const id = await upload('מכתב.docx', makeDocx(lines.map(paragraph).join('')))
  const read = { name: 'read_file', arguments: { name: 'מכתב.docx' } }
  const { choices, x_service: service } = await turn(
    [read],
    'It says:\n\n"נר קטן הנכנס לחדר אפל" [S1]\n\nand "the moon is made of silver and of patience" [S1].',
  )
  expect(service.sources).toMatchObject([
    {
      ref: 'מכתב.docx, paragraphs 1–2',
      work: 'מכתב.docx',
      license: 'own',
      url: `${world.service.url}/v1/files/${id}/content?version=1`,
      verification: [{ result: 'verbatim', original: 'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל' }, { result: 'not_found' }],
    },
  ])
  expect(choices[0]?.message.content).toMatch(/אפל" \[1\][\s\S]*Sources:\n\n\[1\] מכתב\.docx, paragraphs 1–2/)
  const annotation = { url_citation: { url: service.sources[0]?.url } }
  expect(choices[0]?.message.annotations).toMatchObject([annotation, annotation])
})

test('where the operator has said where the service is, citations of files lead there', async () => {
  const id = await upload('place.md', 'A sentence that stands in a file.')
  const other = await world.start({ appUrl: 'https://chat.example.org/' })
  try {
    const read = { name: 'read_file', arguments: { name: 'place.md' } }
    for (const [path, body] of [
      ['/v1/chat/completions', ask('Where?')],
      ['/v1/responses', { model: 'service', input: 'Where?' }],
    ] as const) {
      world.upstream.enqueue(callTools([read]), reply('In “A sentence that stands in a file” [S1].'))
      const response = await call(other, world.key, 'POST', path, body)
      const url = `https://chat.example.org/v1/files/${id}/content?version=1`
      const text = await response.text()
      expect(text.split(JSON.stringify(url))).toHaveLength(3)
      expect(text).not.toContain('"/v1/files/')
    }
  } finally {
    await other.stop()
  }
})

test('a found passage is cited, and words of another page are misattributed', async () => {
  const pages = [['Whoever counts his deeds arrives late.'], ['The lamp only shines in the room.']]
  await upload('pages.pdf', makePdf(pages))
  const { x_service: service } = await turn(
    [
      { name: 'search_files', arguments: { query: 'lamp shines', limit: 1 } },
      { name: 'read_file', arguments: { name: 'pages.pdf' } },
    ],
    'It says “The lamp only shines in the room” [S1], and “Whoever counts his deeds arrives late” [S1]. More [S2].',
  )
  expect(service.sources).toMatchObject([
    { ref: 'pages.pdf, page 2', verification: [{ result: 'verbatim' }, { result: 'misattributed' }] },
    { ref: 'pages.pdf, page 1', verification: [{ result: 'paraphrase' }] },
  ])
})

test('a citation names the version that was read, after edits and renames', async () => {
  const id = await upload('draft.md', 'The first wording of this sentence stands here.')
  const { x_service: service } = await turn(
    [
      { name: 'read_file', arguments: { name: 'draft.md' } },
      { name: 'edit_file', arguments: { name: 'draft.md', old: 'first wording', new: 'second wording' } },
      { name: 'rename_file', arguments: { name: 'draft.md', new_name: 'final.md' } },
      { name: 'read_file', arguments: { name: 'final.md' } },
    ],
    'Before: “The first wording of this sentence” [S1]. Now: “The second wording of this sentence” [S2].',
  )
  expect(service.files).toMatchObject([{ id, filename: 'final.md', action: 'updated' }])
  expect(service.sources.map(({ ref, verification }) => [ref, verification[0]?.result])).toEqual([
    ['draft.md, paragraph 1', 'verbatim'],
    ['final.md, paragraph 1', 'verbatim'],
  ])
  const texts = await Promise.all(service.sources.map(({ url }) => download(url)))
  expect(texts).toEqual([
    'The first wording of this sentence stands here.',
    'The second wording of this sentence stands here.',
  ])
})
