import { expect, test } from 'vitest'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)

/** A turn that writes a file. */
function scriptFile(): void {
  const write = { name: 'write_file', arguments: { name: `notes-${Math.random()}.md`, content: 'Notes' } }
  world.upstream.enqueue(callTools([write]), reply('Written.'))
}

const post = (fields: object, key = `${Math.random()}`) =>
  call(world.service, world.key, 'POST', '/v1/chat/completions', ask('Write notes', fields), {
    'idempotency-key': key,
  })

const filesIn = ({ headers }: Response) => headers.get('x-service-files')

/** The last `x_service` of a stream. */
async function blockOf(stream: Response) {
  const frames = (await stream.text()).match(/(?<=^data: )\{.*$/gm) ?? []
  return frames.map((frame) => JSON.parse(frame).x_service).findLast((block) => block?.files)
}

test('every whole reply has x-service-files, empty when the turn wrote none', async () => {
  scriptFile()
  const written = await post({})
  const { x_service } = await bodyOf(written)
  expect(filesIn(written)).toBe(x_service.files[0].id)
  expect(filesIn(await post({}))).toBe('')
})

test('the last chunk of a stream has the files, and a replay of it has the header too', async () => {
  scriptFile()
  const streamed = await post({ stream: true }, 'streamed')
  expect(filesIn(streamed)).toBeNull()
  const { files } = await blockOf(streamed)
  expect(files).toMatchObject([{ id: expect.stringMatching(/^file/), action: 'created' }])
  const again = await post({ stream: true }, 'streamed')
  expect(filesIn(again)).toBe(files[0].id)
  expect((await blockOf(again)).files).toEqual(files)
})

test('a client that reads only headers finds the files of a stream in its run', async () => {
  scriptFile()
  const streamed = await post({ stream: true })
  const { files } = await blockOf(streamed)
  const id = streamed.headers.get('x-service-run-id')
  const run = await bodyOf(call(world.service, world.key, 'GET', `/v1/agent/runs/${id}`))
  expect(run.output.filter(({ type }: { type: string }) => type === 'file')).toMatchObject(files)
})
