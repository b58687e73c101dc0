import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/chat-world.ts'
import { openReplicaWorld, type Replica, type ReplicaWorld } from '../support/replicas.ts'
import { readStream } from '../support/sse-rules.ts'

/** Of the plan `unlimited`, and small enough for a shared machine. */
const readers = 24

let world: ReplicaWorld
let replica: Replica

beforeAll(async () => {
  world = await openReplicaWorld()
  replica = await world.start()
})
afterAll(async () => {
  expect(await world.close()).toEqual([])
})

async function residentMegabytes(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(replica.pid)])
  return Number(stdout) / 1024
}

/** Opens a stream and takes nothing of it. */
async function openAndStop(text: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
  const options = { method: 'POST', headers, agent: false }
  const sent = request(`${replica.url}/v1/chat/completions`, options)
  sent.end(JSON.stringify(ask(text, { stream: true })))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return response
}

test('readers that stop cost the service little memory, and their turns come to their ends', async () => {
  const text = 'אבגדהוזח ט'.repeat(15_000)
  world.upstream.setDefault([{ text, chunks: 3_000 }])
  for (const n of [1, 2, 3, 4]) {
    const response = await world.chat(replica, ask(`Warm up ${n}`, { stream: true }))
    expect(readStream(await response.text())).toMatchObject({ problems: [], text })
  }
  const before = await residentMegabytes()
  const stopped: IncomingMessage[] = []
  for (let n = 0; n < readers; n += 1) stopped.push(await openAndStop(`Stop ${n}`))
  const done = async () => {
    const [row] = await world.rows<{ runs: number }>(
      `select count(*)::int as runs from runs where status = $1`,
      'completed',
    )
    return row?.runs
  }
  let most = before
  await expect
    .poll(
      async () => {
        most = Math.max(most, await residentMegabytes())
        return done()
      },
      { timeout: 50_000, interval: 100 },
    )
    .toBe(4 + readers)
  process.stdout.write(`rss ${before} ${most}\n`)
  expect(most - before).toBeLessThan(60 + 2 * readers)
  for (const response of stopped) response.destroy()
})
