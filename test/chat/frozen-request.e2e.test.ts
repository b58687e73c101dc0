import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { times } from '../support/full.ts'
import { reply } from '../support/scripted-upstream.ts'
import type { Replica } from '../support/world/processes.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

/** A process that was frozen finds both in its socket, what a client asked and that it has left. */

let replica: Replica
const world = useWorld({ processes: true, plan: 'unlimited' })
beforeAll(async () => {
  world.upstream.setDefault(() => reply('An answer.'))
  replica = await world.start()
})

async function openConnection() {
  const { hostname, port } = new URL(replica.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

function requestBytes(text: string): string {
  const body = JSON.stringify(ask(text))
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: localhost', 'content-type: application/json']
  head.push(`authorization: Bearer ${world.key}`, `content-length: ${Buffer.byteLength(body)}`)
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** A turn that is answered: its replica knows the key and the server's time after it. */
const answered = async (text: string) =>
  expect((await world.chat(ask(text), { at: replica })).status).toBe(200)

const asked = (text: string) =>
  world.rows(`select 1 from messages where role = 'user' and content->>'content' = $1`, text)

const nothingAtWork = () =>
  expect
    .poll(() =>
      world.rows(
        `select pid from pg_stat_activity where application_name = $1 and datname = current_database() and state <> 'idle'
           and pid <> pg_backend_pid()`,
        'meduyak',
      ),
    )
    .toEqual([])

test('a client that stays while the process is frozen gets its turn', async () => {
  await answered('Asked before')
  replica.signal('SIGSTOP')
  const socket = await openConnection()
  socket.write(requestBytes('Asked of a frozen process, and waited for'))
  replica.signal('SIGCONT')
  const [reply] = (await once(socket, 'data')) as [Buffer]
  expect(reply.toString()).toMatch(/^HTTP\/1.1 200 /)
  expect(await asked('Asked of a frozen process, and waited for')).toHaveLength(1)
  socket.destroy()
})

test.each([
  ['ended', 'opened before'],
  ['ended', 'opened meanwhile'],
  ['cut', 'opened before'],
  ['cut', 'opened meanwhile'],
  ['reset', 'opened before'],
  ['reset', 'opened meanwhile'],
] as const)(
  'a client that %s its connection, %s, while the process was frozen gets no turn',
  async (how, opened) => {
    for (let round = 0; round < times(2, 5); round++) {
      const text = `Asked of a frozen process: ${how}, ${opened}, ${round}`
      await answered(`${text}, before`)
      const early = opened === 'opened before' ? await openConnection() : undefined
      replica.signal('SIGSTOP')
      const socket = early ?? (await openConnection())
      await new Promise((resolve) => socket.write(requestBytes(text), resolve))
      const left = once(socket, how === 'ended' ? 'finish' : 'close')
      if (how === 'ended') socket.end()
      else if (how === 'cut') socket.destroy()
      else socket.resetAndDestroy()
      await left
      replica.signal('SIGCONT')
      await answered(`${text}, after`)
      await nothingAtWork()
      expect(await asked(text)).toEqual([])
      socket.destroy()
    }
  },
)
