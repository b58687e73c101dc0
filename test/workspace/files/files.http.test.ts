import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { form, type Part, send } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import { makeFile, useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const upload = (parts: readonly Part[], key = home.key) =>
  send(world.service, { method: 'POST', path: '/v1/files', key, ...form(parts) })

const get = (path: string, key = home.key) => send(world.service, { method: 'GET', path, key })

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const mebibyte = 1024 * 1024
const part = (content: string | Buffer, filename = 'a.bin', type?: string): Part => ({
  name: 'file',
  filename,
  content,
  ...(type !== undefined && { type }),
})
const inHome = (): Part => ({ name: 'project_id', value: home.projectId })
const purpose = (value: string): Part => ({ name: 'purpose', value })

test.each([0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 1])(
  'a file of %i bytes comes back byte for byte, with its checksum',
  async (size) => {
    const content = randomBytes(size)
    const reply = await upload([
      part(content, 'data.bin', 'application/x-test'),
      purpose('assistants'),
      inHome(),
    ])
    const file = JSON.parse(reply.text)
    expect({ status: reply.status, file }).toEqual({
      status: 200,
      file: {
        id: expect.stringMatching(/^file-[0-9A-Za-z]{24}$/),
        object: 'file',
        bytes: size,
        created_at: expect.closeTo(Date.now() / 1_000, -2),
        filename: 'data.bin',
        purpose: 'assistants',
        status: 'processed',
        project_id: home.projectId,
        session_id: null,
        run_id: null,
        version: 1,
        sha256: sha256(content),
        content_type: 'application/x-test',
      },
    })
    expect(Number.isInteger(file.created_at)).toBe(true)
    const { bytes, created_at, sha256: hash, content_type } = file
    const versions = [{ version: 1, bytes, created_at, run_id: null, sha256: hash, content_type }]
    expect(JSON.parse((await get(`/v1/files/${file.id}`)).text)).toEqual({ ...file, versions })
    const download = await get(`/v1/files/${file.id}/content`)
    expect(download.headers['content-length']).toBe(String(size))
    expect({ bytes: download.bytes.length, sha256: sha256(download.bytes) }).toEqual({
      bytes: size,
      sha256: file.sha256,
    })
  },
)

test('the parts of an upload come in any order, and unknown ones are ignored', async () => {
  const parts = [part('text'), purpose('vision'), inHome(), { name: 'extra', value: 'x' }]
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 0, 3, 2],
    [2, 3, 0, 1],
  ]
  for (const order of orders) {
    const reply = await upload(order.flatMap((i) => parts[i] ?? []))
    expect(JSON.parse(reply.text)).toMatchObject({ purpose: 'vision', project_id: home.projectId, bytes: 4 })
  }
  expect(JSON.parse((await upload([part('text')])).text)).toMatchObject({ purpose: 'user_data' })
})

const names = [
  { sent: 'דף מקורות – תניא.pdf', kept: 'דף מקורות – תניא.pdf', ascii: '__ ______ _ ____.pdf' },
  { sent: "it's 100% (new)*.txt", kept: "it's 100% (new)*.txt", ascii: "it's 100_ (new)*.txt" },
  { sent: 'a;b,c=d@e:f?.txt', kept: 'a;b,c=d@e:f?.txt', ascii: 'a;b,c=d@e:f?.txt' },
  { sent: '📜.md', kept: '📜.md', ascii: '__.md' },
  { sent: '../../etc/passwd', kept: 'passwd', ascii: 'passwd' },
  { sent: 'C:\\\\temp\\\\a.txt', kept: 'a.txt', ascii: 'a.txt' },
  { sent: 'annex\u202egpj.exe', kept: 'annexgpj.exe', ascii: 'annexgpj.exe' },
  { sent: '\u2067תניא\u2069\u200f.md', kept: 'תניא.md', ascii: '____.md' },
  { sent: 'a\u200bb.txt', kept: 'ab.txt', ascii: 'ab.txt' },
  { sent: '👨‍👩‍👧.txt', kept: '👨‍👩‍👧.txt', ascii: '________.txt' },
  { sent: `${'נ'.repeat(196)}.txt`, kept: `${'נ'.repeat(196)}.txt`, ascii: `${'_'.repeat(196)}.txt` },
  { sent: 'e\u0301.txt', kept: '\u00e9.txt', ascii: '_.txt' },
]

test.each(names)(
  'the name $kept is kept, and sent with the download as RFC 6266 has it',
  async ({ sent, kept, ascii }) => {
    const { id, filename } = JSON.parse((await upload([part('text', sent)])).text)
    expect(filename).toBe(kept)
    const { headers } = await get(`/v1/files/${id}/content`)
    const match = /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([A-Za-z0-9%!#$&+.^_`|~-]+)$/.exec(
      headers['content-disposition'] ?? '',
    )
    expect({ ascii: match?.[1], extended: decodeURIComponent(match?.[2] ?? '') }).toEqual({
      ascii,
      extended: kept,
    })
  },
)

test('a deleted file is gone with its content, and a second delete is the 404', async () => {
  const counts = await rowCounts(world.db)
  const id = await makeFile(world.service, home)
  const remove = () => send(world.service, { method: 'DELETE', path: `/v1/files/${id}`, key: home.key })
  expect(JSON.parse((await remove()).text)).toEqual({ id, object: 'file', deleted: true })
  const gone = { status: 404, code: 'not_found', param: null } as const
  for (const reply of [await remove(), await get(`/v1/files/${id}`), await get(`/v1/files/${id}/content`)]) {
    expectError(reply, gone, /Check the id/)
  }
  expect(await rowCounts(world.db)).toEqual(counts)
})
