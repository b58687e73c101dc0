import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { isShort } from '../support/full.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Replica } from '../support/world/processes.ts'
import { openWorld, type ProcessWorld } from '../support/world/world.ts'
import type { Provider } from './provider.ts'
import { scenarios } from './scenarios.ts'
import { startUpstream, type UpstreamServer } from './server.ts'
import { native, openAiCompatible } from './table.ts'
import { asking, nextQuestion, type Row } from './turns.ts'

/**
 * One table: every provider, every scenario. One service process has a model for each provider, so that rows run at
 * once. A second process starts the turns that are to be taken over and is killed once, in the middle of them all.
 */

const idOf = ({ name }: Provider) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
const entryOf = (provider: Provider, baseUrl: string) => ({
  ...{ id: idOf(provider), base_url: baseUrl, api_key: 'key', name: 'm' },
  ...provider.entry,
})

const providers = [...openAiCompatible, ...native]

const cleanup = new AsyncDisposableStack()
const servers = new Map<Provider, UpstreamServer>()
let world: ProcessWorld
let service: Replica
let modelsFile: string

beforeAll(async () => {
  world = await openWorld({ processes: true, plan: 'unlimited' })
  cleanup.defer(() => world.close())
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-upstreams-'))
  cleanup.defer(() => rm(folder, { recursive: true }))
  for (const provider of providers) {
    const server = await startUpstream(provider)
    cleanup.defer(() => server.close())
    servers.set(provider, server)
  }
  modelsFile = path.join(folder, 'models.json')
  const models = [...servers].map(([provider, { baseUrl }]) => entryOf(provider, baseUrl))
  await writeFile(modelsFile, JSON.stringify({ models }))
  service = await world.start({ MODELS_FILE: modelsFile })
})
afterAll(() => cleanup.disposeAsync())

type TakeOver = Awaited<ReturnType<Row['takeover']>>

/** Starts a turn of every provider on a second process, and kills it when all of them are in their second step. */
async function startTakeOvers(): Promise<ReadonlyMap<Provider, Promise<TakeOver>>> {
  const owner = await world.start({ MODELS_FILE: modelsFile })
  const started = new Map<Provider, Promise<TakeOver & { readonly runId: string }>>()
  for (const provider of providers) {
    const id = nextQuestion()
    const body = asking(idOf(provider), id, 'tool,hold+answer', {
      ...{ stream: true, stream_options: { include_usage: true } },
    })
    const send = () => world.chat(body, { at: owner, headers: { 'idempotency-key': id } })
    const begin = async () => {
      let response = await send()
      // On a busy machine the first turns of a process wait too long for a connection. Clients then retry.
      while (response.status === 503) response = await send()
      await new LiveStream(response).until('Half')
      return { id, body, key: id, runId: String(response.headers.get('x-service-run-id')) }
    }
    started.set(provider, begin())
  }
  const begun = await Promise.allSettled(started.values())
  await owner.stop('SIGKILL')
  for (const one of begun) if (one.status === 'fulfilled') await world.expireLease(one.value.runId)
  return started
}

let takeOvers: ReturnType<typeof startTakeOvers> | undefined

async function takeOverOf(provider: Provider): Promise<TakeOver> {
  takeOvers ??= startTakeOvers()
  const started = (await takeOvers).get(provider)
  if (!started) throw new Error(`no turn of ${provider.name}`)
  return started
}

describe.each(providers.map((provider, at) => [provider.name, provider, at] as const))(
  '%s',
  (_name, provider, at) => {
    for (const [index, [guarantee, scenario]] of Object.entries(scenarios).entries()) {
      // Every scenario with every third provider, and every provider with every third scenario.
      test.skipIf(isShort && (index + at) % 3 !== 0).concurrent(guarantee, async () => {
        const server = servers.get(provider)
        if (!server) throw new Error(`${provider.name} is not started`)
        const takeover = () => takeOverOf(provider)
        await scenario({ world, at: service, model: idOf(provider), server, takeover })
      })
    }
  },
)
