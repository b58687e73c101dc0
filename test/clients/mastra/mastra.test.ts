import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { type Adapter, seenIn, weatherTool } from '../support/adapter.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { aiSdkTroubles } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

const agentAt = ({ baseUrl, key, headers, model }: Place, more: object = {}) =>
  new Agent({
    id: 'asker',
    name: 'asker',
    instructions: 'Answer.',
    model: { id: `service/${model}`, url: baseUrl, apiKey: key, headers },
    ...more,
  })

/** Mastra uses the AI SDK, but does not retry. */
const troubles = Object.fromEntries(
  Object.keys(aiSdkTroubles).map((name) => [name, { kind: 'AI_APICallError', attempts: 1 }]),
) as typeof aiSdkTroubles

const shown = ['session', 'sources', 'files', 'cost'] as const

const mastra: Adapter = {
  name: 'mastra',
  troubles,
  brokenWhole: undefined,
  brokenStream: 'Error',
  stopped: undefined,
  shows: { whole: shown, streamed: shown },
  failureOf: (error) => ({
    kind: error.name,
    status: error.statusCode ?? error.lastError?.statusCode,
    code: (error.lastError ?? error).data?.error?.code,
  }),
  async whole(place, question, abortSignal) {
    const { text, response } = await agentAt(place).generate(question, { abortSignal })
    return seenIn(text, response.body.x_service)
  },
  async stream(place, question, onText, abortSignal) {
    const options = { abortSignal, includeRawChunks: true }
    const result = await agentAt(place).stream(question, options)
    let [text, block] = ['', undefined]
    for await (const { type, payload } of result.fullStream) {
      if (type === 'error') throw payload.error
      if (type === 'raw') block = payload.x_service ?? block
      if (type !== 'text-delta') continue
      onText(payload.text)
      text += payload.text
    }
    return seenIn(text, block)
  },
  async callTool(place, question, weather) {
    const { name, description } = weatherTool
    const inputSchema = z.object({ city: z.string() })
    const tool = createTool({
      id: name,
      description,
      inputSchema,
      execute: async ({ city }) => weather(city),
    })
    return (await agentAt(place, { tools: { [name]: tool } }).generate(question)).text
  },
}

const world = useClientWorld()
describeClients(world, mastra)
testExample(world, import.meta.dirname, 'mastra.mts')
