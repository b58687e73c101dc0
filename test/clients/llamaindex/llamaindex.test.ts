import { OpenAI } from '@llamaindex/openai'
import { type Adapter, seenIn, weatherTool } from '../support/adapter.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { officialTroubles, repeating } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

const llmAt = ({ baseUrl, key, headers, model }: Place) =>
  new OpenAI({ model, apiKey: key, baseURL: baseUrl, additionalSessionOptions: { defaultHeaders: headers } })

const user = (content: string) => [{ role: 'user' as const, content }]

const llamaindex: Adapter = {
  name: 'llamaindex',
  troubles: {
    ...officialTroubles,
    // It tries ten times again.
    ...repeating('too many turns', 'internal error', 'shutting down'),
  },
  brokenWhole: undefined,
  brokenStream: 'APIError',
  stopped: undefined,
  shows: {
    whole: ['session', 'sources', 'files', 'links', 'cost'],
    streamed: ['session', 'sources', 'files', 'cost'],
  },
  failureOf: (error) => ({ kind: error.constructor.name, status: error.status, code: error.code }),
  async whole(place, question) {
    const { message, raw } = await llmAt(place).chat({ messages: user(question) })
    const { annotations } = raw.choices[0].message
    return seenIn(message.content, raw.x_service, { annotations, usage: raw.usage })
  },
  async stream(place, question, onText, signal) {
    let [text, block] = ['', undefined]
    for await (const { delta, raw } of await llmAt(place).chat({ messages: user(question), stream: true })) {
      if (delta !== '') onText(delta)
      text += delta
      block = raw.x_service ?? block
      // The client takes no signal: users leave the loop, and that closes the connection.
      if (signal?.aborted) break
    }
    return seenIn(text, block)
  },
  async callTool(place, question, weather) {
    const { name, description, parameters } = weatherTool
    const tools = [{ metadata: { name, description, parameters }, call: ({ city }) => weather(city) }]
    const messages = user(question)
    for (;;) {
      const { newMessages, toolCalls } = await llmAt(place).exec({ messages, tools })
      messages.push(...newMessages)
      if (toolCalls.length === 0) return newMessages.at(-1)?.content
    }
  },
}

const world = useClientWorld()
describeClients(world, llamaindex)
testExample(world, import.meta.dirname, 'llamaindex.mts')
