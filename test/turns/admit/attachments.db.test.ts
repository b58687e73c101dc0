import { beforeEach, expect, test } from 'vitest'
import type { ContentPart } from '../../../src/agent/provider.ts'
import { withTx } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import type { TurnInput } from '../../../src/turns/admit/turn-input.ts'
import type { Attachments, InlineFile } from '../../../src/turns/sessions/attachments.ts'
import { insertProject } from '../../../src/turns/sessions/projects.ts'
import { storeUpload } from '../../../src/workspace/uploads.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { admissionOf, admitted, look, plainInput } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

let person: Caller

const { db } = useStore()
beforeEach(async () => {
  person = await makeCaller(db.database, { fileBytes: 1_000 })
})

const inlineFile = (content: string | Buffer, name = 'note.txt'): InlineFile => ({
  id: newId('file'),
  name,
  contentType: 'text/plain',
  content: Buffer.from(content),
})

/** A question with the files, some of which come with it. */
const ask = async (files: readonly (string | InlineFile)[], more: Partial<TurnInput & Attachments> = {}) => {
  const { readsImages = false, ...rest } = more
  const inline = new Map(files.flatMap((file) => (typeof file === 'string' ? [] : [[file.id, file]])))
  const ids = new Set(files.filter((file) => typeof file === 'string'))
  const parts = files.map((file): ContentPart => {
    return { type: 'file', fileId: typeof file === 'string' ? file : file.id }
  })
  const input = {
    ...plainInput(),
    messages: [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'What does it say?' }, ...parts] },
    ],
    attachments: { ids, inline, readsImages, param: 'messages' },
    ...rest,
  }
  return { run: admitted(await look(db.database, admissionOf(person, { input }))) }
}

const rows = async (statement: string) =>
  (await db.database.systemPool.query(statement, [person.principal.accountId])).rows
const files = () => rows('select id, name, session_id, run_id, project_id from files where account_id = $1')
const contents = () => rows('select content from messages where account_id = $1 order by created_at')

test("a request's file is stored once, in its turn's project and session", async () => {
  const file = inlineFile('A note on patience.')
  const { run } = await ask([file])
  expect(await files()).toEqual([
    { id: file.id, name: 'note.txt', session_id: run.sessionId, run_id: null, project_id: run.projectId },
  ])
  expect(await contents()).toEqual([
    { content: { role: 'user', content: [expect.anything(), { type: 'file', fileId: file.id }] } },
  ])
})

test('a resent file with the same content is the same file; other content is another', async () => {
  const first = inlineFile('A note.')
  await ask([first])
  await ask([inlineFile('A note.'), inlineFile('Another note.')])
  expect(await files()).toHaveLength(2)
  expect((await contents())[1]).toMatchObject({
    content: {
      content: [expect.anything(), { fileId: first.id }, { fileId: expect.not.stringMatching(first.id) }],
    },
  })
})

test('a request that is refused stores none of its files', async () => {
  await expect(ask([inlineFile('two'), inlineFile('x'.repeat(1_001))])).rejects.toMatchObject({
    code: 'file_too_large',
  })
  expect(await files()).toEqual([])
})

test("foreign and unknown files miss alike; an owner's other project is named", async () => {
  const stranger = await makeCaller(db.database)
  const store = async (owner: Caller, projectId: string) => {
    const place = { accountId: owner.principal.accountId, projectId, sessionId: null, runId: null }
    const upload = inlineFile('mine')
    await withTx(db.database, place, (tx) => storeUpload(tx, place, owner.principal.plan, upload))
    return upload.id
  }
  const projectOf = ({ principal }: Caller) =>
    withTx(db.database, 'system', async (tx) => (await insertProject(tx, principal.accountId, 'Q')).id)
  const foreign = await store(stranger, await projectOf(stranger))
  const elsewhere = await store(person, await projectOf(person))
  for (const id of [foreign, newId('file'), 'x', `file-\u{1f600}`]) {
    await expect(ask([id])).rejects.toMatchObject({ code: 'not_found' })
  }
  // A bound key sees nothing of another project; one for all of them is told why it cannot be.
  await expect(ask([elsewhere])).rejects.toMatchObject({ code: 'not_found' })
  const projectId = await projectOf(person)
  person = { ...person, principal: { ...person.principal, binding: { kind: 'owner', projectId: null } } }
  await expect(ask([elsewhere], { projectId })).rejects.toMatchObject({
    code: 'invalid_value',
    message: expect.stringMatching(/another project/),
  })
})

test('an unreadable kind of file is refused, and an image for a model without images', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  await expect(ask([inlineFile('PK\0\0binary\0', 'x.bin')])).rejects.toThrow(/neither a text nor a document/)
  await expect(ask([inlineFile(png, 'x.txt')])).rejects.toThrow(/cannot read images/)
  expect((await ask([inlineFile(png, 'x.txt')], { readsImages: true })).run.status).toBe('in_progress')
})
