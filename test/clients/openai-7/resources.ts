import type { OpenAI as Client } from 'openai'
import { describe, expect, test } from 'vitest'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { hebrew, questions } from '../support/questions.ts'
import type { ClientWorld } from '../support/world.ts'
import { chatAdapter, responsesAdapter } from './adapter.ts'

type ToFile = typeof import('openai').toFile

/** All tests of a version of the official SDK, whose packages are in the folder of the family. */
export function testOfficialSdk(name: string, OpenAI: typeof Client, toFile: ToFile, family: string): void {
  const world = useClientWorld()
  describeClients(
    world,
    chatAdapter(OpenAI, name, { helper: false }),
    chatAdapter(OpenAI, name, { helper: true }),
    responsesAdapter(OpenAI, name),
  )
  describeResources(world, OpenAI, toFile)
  testExample(world, family, 'openai.mts')
  testExample(world, family, 'openai-responses.mts')
}

/** The rest of the official SDK: files, models, parsed output, and stored responses. */
function describeResources(world: () => ClientWorld, OpenAI: typeof Client, toFile: ToFile): void {
  const open = async () => {
    const { baseUrl, key } = await world().place()
    return new OpenAI({ baseURL: baseUrl, apiKey: key })
  }

  describe.concurrent('the official SDK beside turns', () => {
    test('files: a Hebrew name and its bytes come back, in a list, alone, and not after they are deleted', async () => {
      const client = await open()
      const file = await toFile(Buffer.from(hebrew), 'שׁיעור א׳.txt')
      const made = await client.files.create({ file, purpose: 'user_data' })
      expect(made).toMatchObject({ object: 'file', filename: 'שׁיעור א׳.txt', status: 'processed' })
      expect(await client.files.waitForProcessing(made.id)).toMatchObject({ id: made.id })
      const listed: string[] = []
      for await (const { id } of client.files.list({ limit: 1 })) listed.push(id)
      expect(listed).toEqual([made.id])
      expect(await client.files.retrieve(made.id)).toMatchObject({ bytes: Buffer.byteLength(hebrew) })
      expect(await (await client.files.content(made.id)).text()).toBe(hebrew)
      const gone = client.files.delete ?? client.files.del
      expect(await gone.call(client.files, made.id)).toMatchObject({ id: made.id, deleted: true })
      await expect(client.files.retrieve(made.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    })

    test('a list of files goes on from page to page', async () => {
      const client = await open()
      for (const name of ['a.txt', 'b.txt', 'c.txt']) {
        await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'user_data' })
      }
      const names: string[] = []
      for await (const { filename } of client.files.list({ limit: 2, order: 'asc' })) names.push(filename)
      expect(names).toEqual(['a.txt', 'b.txt', 'c.txt'])
    })

    test('models: listed and alone', async () => {
      const client = await open()
      const ids: string[] = []
      for await (const { id } of client.models.list()) ids.push(id)
      expect(ids).toContain('service')
      expect(await client.models.retrieve('service')).toMatchObject({ id: 'service', object: 'model' })
    })

    test('structured output is parsed', async () => {
      const client = await open()
      const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
      const completion = await client.chat.completions.parse({
        model: 'service',
        messages: [{ role: 'user', content: questions.json }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      })
      expect(JSON.parse(completion.choices[0].message.content ?? '')).toEqual({ answer: hebrew })
    })

    test('responses: kept, gone on from, streamed again from where one stopped', async () => {
      const client = await open()
      const first = await client.responses.create({ model: 'service', input: questions.plain })
      expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, output_text: hebrew })
      const second = await client.responses.create({
        model: 'service',
        input: questions.cited,
        previous_response_id: first.id,
      })
      expect(second.x_service.session_id).toBe(first.x_service.session_id)
      const types: string[] = []
      const again = await client.responses.retrieve(first.id, { stream: true, starting_after: 3 })
      for await (const event of again) types.push(event.type)
      expect([types.includes('response.created'), types.at(-1)]).toEqual([false, 'response.completed'])
    })

    test('the request id and the other headers are read from every reply', async () => {
      const client = await open()
      const messages = [{ role: 'user' as const, content: questions.plain }]
      const asked = client.chat.completions.create({ model: 'service', messages })
      const { data: completion, response } = await asked.withResponse()
      expect(completion._request_id).toMatch(/^req_/)
      expect(response.headers.get('x-service-session-id')).toBe(completion.x_service.session_id)
    })
  })
}
