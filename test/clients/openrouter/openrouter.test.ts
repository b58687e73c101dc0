import { OpenRouter } from '@openrouter/sdk'
import { expect, test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { citedAnswer, hebrew, questions } from '../support/questions.ts'

const world = useClientWorld()

/** The client refuses replies that lack a member of its schema, or have one of another type. */
async function clientOf() {
  const { baseUrl, key, model } = await world().place()
  return { client: new OpenRouter({ apiKey: key, serverURL: baseUrl }), model }
}
const asked = (content: string) => [{ role: 'user' as const, content }]

test('a whole chat reply is read', async () => {
  const { client, model } = await clientOf()
  const reply = await client.chat.send({ chatRequest: { model, messages: asked(questions.plain) } })
  expect(reply.choices[0].message.content).toBe(hebrew)
})

test('a stream of a chat is read, with its usage', async () => {
  const { client, model } = await clientOf()
  const stream = await client.chat.send({
    chatRequest: { model, messages: asked(questions.plain), stream: true },
  })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  expect(text).toBe(hebrew)
})

test('a response is read, whole and streamed', async () => {
  const { client, model } = await clientOf()
  const whole = await client.beta.responses.send({ responsesRequest: { model, input: questions.cited } })
  expect(JSON.stringify(whole.output)).toContain(JSON.stringify(citedAnswer.text).slice(1, -1))
  const stream = await client.beta.responses.send({
    responsesRequest: { model, input: questions.cited, stream: true },
  })
  const types = []
  for await (const event of stream) types.push(event.type)
  expect(types.at(-1)).toBe('response.completed')
})
