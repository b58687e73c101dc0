import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { type Adapter, weatherTool } from '../support/adapter.ts'
import { describeClient, useClientWorld } from '../support/conformance.ts'
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

/** Over the AI SDK, but it does not try again. */
const troubles = Object.fromEntries(
  Object.keys(aiSdkTroubles).map((name) => [name, { kind: 'AI_APICallError', attempts: 1 }]),
) as typeof aiSdkTroubles

const mastra: Adapter = {
  name: 'mastra',
  troubles,
  brokenWhole: undefined,
  brokenStream: 'Error',
  stopped: undefined,
  shows: { whole: [], streamed: [] },
  failureOf: (error) => ({
    kind: error.name,
    status: error.statusCode ?? error.lastError?.statusCode,
    code: (error.lastError ?? error).data?.error?.code,
  }),
  async whole(place, question, abortSignal) {
    return { text: (await agentAt(place).generate(question, { abortSignal })).text }
  },
  async stream(place, question, onText, abortSignal) {
    const result = await agentAt(place).stream(question, { abortSignal })
    let text = ''
    for await (const chunk of result.fullStream) {
      if (chunk.type === 'error') throw chunk.payload.error
      if (chunk.type !== 'text-delta') continue
      onText(chunk.payload.text)
      text += chunk.payload.text
    }
    return { text }
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

describeClient(useClientWorld(), mastra)
