import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { type Adapter, seenIn, weatherTool } from '../support/adapter.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { officialTroubles } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

/** `x_service` of a chunk, or of the last event of a response. */
const blockOf = (event) => event.x_service ?? event.response?.x_service

/** The Agents SDK with responses, its default, and with chat. */
function agents(useResponses: boolean): Adapter {
  const runnerAt = ({ baseUrl, key, headers }: Place) => {
    const openAIClient = new OpenAI({ baseURL: baseUrl, apiKey: key, defaultHeaders: headers })
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses })
    return new Runner({ modelProvider, tracingDisabled: true })
  }
  const agentAt = ({ model }: Place, more: object = {}) => new Agent({ name: 'asker', model, ...more })

  const seen = (result, block = result.rawResponses.at(-1)?.providerData?.x_service) =>
    seenIn(result.finalOutput ?? '', block)

  return {
    name: `openai-agents, ${useResponses ? 'responses' : 'chat'}`,
    troubles: officialTroubles,
    brokenWhole: useResponses ? 'ModelBehaviorError' : undefined,
    brokenStream: useResponses ? 'ModelBehaviorError' : 'APIError',
    stopped: undefined,
    shows: {
      whole: ['session', 'sources', 'files', 'cost'],
      streamed: ['session', 'sources', 'files', 'cost'],
    },
    failureOf: (error) => ({ kind: error.constructor.name, status: error.status, code: error.code }),
    async whole(place, question, signal) {
      return seen(await runnerAt(place).run(agentAt(place), question, { signal }))
    },
    async stream(place, question, onText, signal) {
      const result = await runnerAt(place).run(agentAt(place), question, { stream: true, signal })
      const blocks = []
      for await (const event of result) {
        if (event.type !== 'raw_model_stream_event') continue
        if (event.data.type === 'output_text_delta') onText(event.data.delta)
        if (event.data.type === 'model') blocks.push(blockOf(event.data.event))
      }
      if (signal?.aborted) return { text: '' }
      await result.completed
      return seen(result, blocks.findLast(Boolean))
    },
    async callTool(place, question, weather) {
      const { name, description } = weatherTool
      const parameters = z.object({ city: z.string() })
      const tools = [tool({ name, description, parameters, execute: async ({ city }) => weather(city) })]
      const result = await runnerAt(place).run(agentAt(place, { tools }), question)
      return result.finalOutput ?? ''
    },
  }
}

const world = useClientWorld()
describeClients(world, agents(true), agents(false))
testExample(world, import.meta.dirname, 'openai-agents.mts')
