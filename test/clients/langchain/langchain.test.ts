import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Adapter, seenIn, weatherTool } from '../support/adapter.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { hebrew, questions } from '../support/questions.ts'
import { officialTroubles, repeating } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

const modelAt = ({ baseUrl, key, headers, model }: Place, more: object = {}) =>
  new ChatOpenAI({
    model,
    apiKey: key,
    configuration: { baseURL: baseUrl, defaultHeaders: headers },
    // Without it LangChain keeps only the text, the usage and the ids of a reply.
    __includeRawResponse: true,
    ...more,
  })

const blockOf = (message) => message.additional_kwargs.__raw_response?.x_service

const langchain: Adapter = {
  name: 'langchain',
  troubles: {
    ...officialTroubles,
    // It retries for a minute or two, and ignores `x-should-retry`.
    ...repeating('too many turns', 'internal error', 'model failed', 'shutting down'),
  },
  brokenWhole: undefined,
  brokenStream: 'APIError',
  stopped: 'AbortError',
  shows: {
    whole: ['session', 'sources', 'files', 'links', 'cost'],
    streamed: ['session', 'sources', 'files', 'cost'],
  },
  failureOf: (error) => ({
    kind: error instanceof DOMException ? error.name : error.constructor.name,
    status: error.status,
    code: error.code,
  }),
  async whole(place, question, signal) {
    const message = await modelAt(place).invoke(question, { signal })
    const { annotations } = message.additional_kwargs.__raw_response?.choices[0].message ?? {}
    return seenIn(message.text, blockOf(message), { annotations })
  },
  async stream(place, question, onText, signal) {
    let [text, block] = ['', undefined]
    for await (const chunk of await modelAt(place).stream(question, { signal })) {
      if (chunk.text !== '') onText(chunk.text)
      text += chunk.text
      block = blockOf(chunk) ?? block
    }
    return seenIn(text, block)
  },
  async callTool(place, question, weather) {
    const { name, description } = weatherTool
    const schema = z.object({ city: z.string() })
    const weatherOf = tool(async ({ city }) => weather(city), { name, description, schema })
    const model = modelAt(place).bindTools([weatherOf])
    const messages = [new HumanMessage(question)]
    for (;;) {
      const answer = await model.invoke(messages)
      if (answer.tool_calls.length === 0) return answer.text
      messages.push(answer)
      for (const call of answer.tool_calls) {
        const content = await weatherOf.invoke(call.args)
        messages.push(new ToolMessage({ content, tool_call_id: call.id }))
      }
    }
  },
}

const world = useClientWorld()
describeClients(world, langchain)

test('structured output is parsed', async () => {
  const schema = z.object({ answer: z.string() })
  const model = modelAt(await world().place()).withStructuredOutput(schema)
  expect(await model.invoke(questions.json)).toEqual({ answer: hebrew })
})
testExample(world, import.meta.dirname, 'langchain.mts')
