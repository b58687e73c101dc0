import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { rows } from '../support/full.ts'
import { hasNginx, type Nginx, startNginx, startPrintedNginx } from '../support/nginx.ts'
import { reply } from '../support/scripted-upstream.ts'
import type { Replica } from '../support/world/processes.ts'
import type { Completion, ServiceInfo } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { startService, type TestService } from '../support/world/service.ts'
import { openWorld, type ProcessWorld } from '../support/world/world.ts'

const never = new Promise<never>(() => undefined)

// `apt-get install nginx-light`, or the like, runs these.
describe.skipIf(!hasNginx)(
  'two replicas behind nginx (skipped where there is none), asked by an SDK with default settings',
  () => {
    let world: ProcessWorld
    let survivor: Replica
    let nginx: Nginx | undefined
    const services: TestService[] = []

    beforeAll(async () => {
      world = await openWorld({ processes: true, plan: 'unlimited' })
      survivor = await world.start()
    })
    afterEach(async () => {
      await nginx?.close()
      await Promise.all(services.splice(0).map((service) => service.stop()))
    })
    afterAll(async () => {
      await world.close()
    })

    const client = () => new OpenAI({ apiKey: world.key, baseURL: `${nginx?.url}/v1` })
    const whole = async (text: string) =>
      (await client().chat.completions.create(ask(text) as never)) as unknown as Completion
    const runsAsking = (text: string) =>
      world.rows<{ id: string; charges: number }>(
        `select run_id as id, (select count(*)::int from ledger t
         where t.run_id = m.run_id and t.kind = 'charge') as charges
       from messages m where role = 'user' and content->>'content' = $1`,
        text,
      )

    type Streamed = { text: string; finish: string | null; service: ServiceInfo | undefined; failed: boolean }

    /** Reads a stream as an application does. */
    async function streamed(text: string, onText: () => Promise<void>, key: string): Promise<Streamed> {
      const seen: Streamed = { text: '', finish: null, service: undefined, failed: false }
      const headers = { 'idempotency-key': key }
      const stream = await client().chat.completions.create({ ...ask(text), stream: true } as never, {
        headers,
      })
      try {
        for await (const chunk of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>) {
          const piece = chunk.choices[0]?.delta.content ?? ''
          seen.text += piece
          seen.finish = chunk.choices[0]?.finish_reason ?? seen.finish
          const { x_service: block } = chunk as unknown as { x_service?: ServiceInfo }
          if (block?.run_id) seen.service = block
          if (piece !== '') await onText()
        }
      } catch {
        seen.failed = true
      }
      return seen
    }

    test('silence that is longer than nginx waits is bridged, streamed and whole', async () => {
      const model = { baseUrl: world.upstream.baseUrl, name: 'scripted' }
      const chatPace = { keepAliveMs: 500, paddingMs: 500 }
      for (const _ of [1, 2]) services.push(await startService(world.db.database, { model, chatPace }))
      nginx = await startNginx(
        services.map((service) => service.url),
        'proxy_read_timeout 2s;',
      )
      world.upstream.setDefault([{ waitMs: 5_000 }, { text: 'After a long silence.' }])
      const [one, two] = await Promise.all([
        streamed('Silence, streamed', async () => undefined, 'silence'),
        whole('Silence, whole'),
      ])
      expect(one).toMatchObject({ text: 'After a long silence.', finish: 'stop', failed: false })
      expect(two.choices[0]?.message.content).toBe('After a long silence.')
      for (const text of ['Silence, streamed', 'Silence, whole'])
        expect(await runsAsking(text)).toMatchObject([{ charges: 1 }])
    })

    test('a client gets its whole reply without a retry when its replica is killed', async () => {
      const owner = await world.start()
      nginx = await startNginx([owner.url, survivor.url])
      const index = world.upstream.requests.length
      world.upstream.setDefault(reply('From the other replica.'))
      world.upstream.enqueue([{ waitFor: never }])
      const answer = whole('Killed, whole')
      const asked = await world.upstream.request(index)
      const [run] = await runsAsking('Killed, whole')
      await owner.stop('SIGKILL')
      expect(await asked.ended).toBe('cut')
      await world.expireLease(String(run?.id))
      expect((await answer).choices[0]?.message.content).toBe('From the other replica.')
      expect((await answer).x_service.run_id).toBe(run?.id)
      expect(await runsAsking('Killed, whole')).toEqual([{ id: run?.id, charges: 1 }])
    })

    // Over HTTP/1.0, which nginx speaks to servers unless told otherwise, an end and a cut look alike.
    const cuts = rows<readonly [string, typeof startNginx, boolean]>(
      [['breaks off, with ops/nginx.conf,', startPrintedNginx, true]],
      [['ends without a finish_reason', startNginx, false]],
    )
    test.each(cuts)(
      'a stream whose replica is killed %s, and its retry gets the answer',
      async (how, start, failed) => {
        const owner = await world.start()
        nginx = await start([owner.url, survivor.url])
        world.upstream.setDefault(reply('Half of it, and the rest.'))
        world.upstream.enqueue([{ text: 'Half of it' }, { waitFor: never }])
        const question = `Killed: it ${how}`
        const idempotencyKey = `killed-${failed}`
        const cut = await streamed(question, async () => void (await owner.stop('SIGKILL')), idempotencyKey)
        expect(cut).toMatchObject({ text: 'Half of it', finish: null, failed })
        const runId = String(cut.service?.run_id)
        await world.expireLease(runId)
        const seen = await streamed(question, async () => undefined, idempotencyKey)
        expect(seen).toMatchObject({ text: 'Half of it, and the rest.', finish: 'stop', failed: false })
        expect(await runsAsking(question)).toEqual([{ id: runId, charges: 1 }])
      },
    )

    // On an overloaded machine a request can be on its way for longer than a process that ends waits for it.
    const patient = { retry: 2 }
    test(
      'while both replicas are restarted behind ops/nginx.conf, clients that never retry notice nothing',
      patient,
      async () => {
        const replicas = [await world.start(), await world.start()]
        const ports = replicas.map(({ url }) => new URL(url).port)
        nginx = await startPrintedNginx(replicas.map(({ url }) => url))
        world.upstream.setDefault([{ text: 'It takes ' }, { waitMs: 300 }, { text: 'a moment.' }])
        const unwavering = new OpenAI({ apiKey: world.key, baseURL: `${nginx.url}/v1`, maxRetries: 0 })
        const streamedText = async (text: string): Promise<string> => {
          const stream = await unwavering.chat.completions.create({ ...ask(text), stream: true } as never)
          let seen = ''
          for await (const chunk of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>)
            seen += chunk.choices[0]?.delta.content ?? ''
          return seen
        }
        const wholeText = async (text: string): Promise<string> => {
          const answer = (await unwavering.chat.completions.create(
            ask(text) as never,
          )) as unknown as Completion
          return answer.choices[0]?.message.content ?? ''
        }
        let restarting = true
        const texts: string[] = []
        const reader = async (n: number): Promise<void> => {
          for (let turn = 0; restarting; turn += 1) {
            const text = `Replaced ${n} ${turn}`
            texts.push(text)
            expect(await (n % 2 === 0 ? streamedText : wholeText)(text), text).toBe('It takes a moment.')
          }
        }
        const readers = Promise.all(Array.from({ length: 4 }, (_, n) => reader(n)))
        const restarts = async (): Promise<void> => {
          try {
            for (const [n, replica] of replicas.entries()) {
              expect(await replica.stop('SIGTERM')).toMatchObject({ code: 0 })
              await world.start({ PORT: String(ports[n]) })
            }
          } finally {
            restarting = false
          }
        }
        await Promise.all([readers, restarts()])
        expect(texts.length).toBeGreaterThan(8)
        for (const text of texts) expect(await runsAsking(text)).toMatchObject([{ charges: 1 }])
      },
    )
  },
)
