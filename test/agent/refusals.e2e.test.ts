import type OpenAI from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { clientOf, collect, serviceOf } from '../support/responses.ts'
import { callTools, reply, type Script } from '../support/upstream-scripts.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld()
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'
const words = 'I am sorry, I cannot help with that.'
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})
const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 } }
/** As OpenAI streams a refusal. */
const refusing = (...deltas: readonly object[]): Script => [
  {
    sse: [
      ...deltas.map((delta) => chunk(delta)),
      chunk({ role: 'assistant', refusal: words.slice(0, 9) }),
      chunk({ refusal: words.slice(9) }),
      chunk({}, 'stop'),
      usage,
      '[DONE]',
    ],
  },
  { end: true },
]

const schema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
}
const forms = [
  { form: 'a plain answer', response_format: undefined },
  {
    form: 'an answer by a schema',
    response_format: { type: 'json_schema' as const, json_schema: { name: 'a', strict: true, schema } },
  },
]

test.each(forms)('a refusal of $form is `refusal`, in chat and in responses', async ({ response_format }) => {
  const messages = [{ role: 'user' as const, content: 'Will you?' }]
  const asked = { model, messages, ...(response_format && { response_format }) }
  world.upstream.enqueue(refusing())
  const whole = await openai.chat.completions.create(asked)
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: null, refusal: words },
  })
  expect(whole.usage).toMatchObject({ completion_tokens: 8 })

  world.upstream.enqueue(refusing())
  const stream = openai.chat.completions.stream(asked)
  expect((await stream.finalChatCompletion()).choices[0]?.message).toMatchObject({ refusal: words })

  const text = response_format && {
    text: { format: { type: 'json_schema' as const, ...response_format.json_schema } },
  }
  world.upstream.enqueue(refusing())
  const response = await openai.responses.create({ model, input: 'Will you?', ...text })
  const message = { type: 'message', status: 'completed', content: [{ type: 'refusal', refusal: words }] }
  expect(response).toMatchObject({ status: 'completed', output: [message] })

  world.upstream.enqueue(refusing())
  const events = await collect(
    await openai.responses.create({ model, input: 'Will you?', stream: true, ...text }),
  )
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.refusal.delta',
    'response.refusal.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events.at(-1)).toMatchObject({ response: { output: [message] } })
})

test('a refusal after the text of an earlier step has its own part and member', async () => {
  const steps = [callTools([{ name: 'list_files', arguments: {} }], { text: 'Let me look.' }), refusing()]
  world.upstream.enqueue(...steps)
  const messages = [{ role: 'user' as const, content: 'Look first' }]
  const chat = await openai.chat.completions.create({ model, messages })
  expect(chat.choices[0]?.message).toMatchObject({ content: 'Let me look.', refusal: words })
  world.upstream.enqueue(...steps)
  const events = await collect(await openai.responses.create({ model, input: 'Look first', stream: true }))
  expect(events.at(-1)).toMatchObject({
    response: {
      output: [
        {
          content: [
            { type: 'output_text', text: 'Let me look.' },
            { type: 'refusal', refusal: words },
          ],
        },
      ],
    },
  })
  const parts = events.flatMap((event) => ('content_index' in event ? [event.content_index] : []))
  expect(parts.toSorted()).toEqual(parts)
  expect(new Set(parts)).toEqual(new Set([0, 1]))
})

test('words of refusal beside text in one reply are text', async () => {
  world.upstream.enqueue(refusing({ content: 'Well. ' }))
  const { choices } = await bodyOf(
    call(world.service, world.key, 'POST', '/v1/chat/completions', ask('Well?')),
  )
  expect(choices[0].message).toMatchObject({ content: `Well. ${words}`, refusal: null })
})

test('later turns and runs read the words of a refusal as the answer', async () => {
  world.upstream.enqueue(refusing(), reply('Then this.'))
  const first = await openai.responses.create({ model, input: 'Will you?' })
  const run = await bodyOf(call(world.service, world.key, 'GET', `/v1/agent/runs/${serviceOf(first).run_id}`))
  expect(run.output).toMatchObject([{ type: 'message', content: words }])
  await openai.responses.create({ model, input: 'And this?', previous_response_id: first.id })
  const told = world.upstream.requests.at(-1)?.body.messages.slice(1)
  expect(told?.map(({ content }) => content)).toEqual(['Will you?', words, 'And this?'])
})
