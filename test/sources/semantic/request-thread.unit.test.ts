import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { RequestThread } from '../../../src/sources/embeddings/request-thread.ts'
import { useFolder } from '../../support/folder.ts'

type Message = { readonly id: number; readonly wants: 'word' | 'end' | 'nothing'; readonly word?: string }
type Reply = { readonly id: number; readonly word: string }

const program = `
import { parentPort, workerData } from 'node:worker_threads'
const waiting = []
parentPort.on('message', ({ id, wants, word }) => {
  if (wants === 'end') process.exit(1)
  if (wants === 'nothing') return
  parentPort.postMessage({ file: word })
  waiting.push({ id, word: workerData + word })
  // The second request is answered before the first.
  if (waiting.length === 2) for (const reply of waiting.splice(0).reverse()) parentPort.postMessage(reply)
})`

const folder = useFolder()
let file: URL

beforeAll(async () => {
  const place = path.join(folder, 'thread.mjs')
  await writeFile(place, program)
  file = pathToFileURL(place)
})

test('each request gets its own reply, and notices go to their listener', async () => {
  const notices: object[] = []
  const thread = new RequestThread<Message, Reply>(file, {
    workerData: 'the ',
    onNotice: (notice) => notices.push(notice),
  })
  const ask = (word: string) => thread.request({ wants: 'word', word })
  const replies = await Promise.all([ask('first'), ask('second')])
  expect(replies.map(({ word }) => word)).toEqual(['the first', 'the second'])
  expect(notices).toEqual([{ file: 'first' }, { file: 'second' }])
  await thread.close()
})

test('the end of the thread fails what waits and what comes later', async () => {
  const thread = new RequestThread<Message, Reply>(file)
  const waiting = thread.request({ wants: 'nothing' })
  expect(thread.hasEnded).toBe(false)
  await expect(Promise.all([waiting, thread.request({ wants: 'end' })])).rejects.toThrow(
    'its thread has ended',
  )
  expect(thread.hasEnded).toBe(true)
  await expect(thread.request({ wants: 'word' })).rejects.toThrow('its thread has ended')
})
